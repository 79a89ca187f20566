#include "session/checkpoints.h"

#include <future>
#include <utility>

#include "base/log.h"

namespace agentd::session {
namespace {

// A content that finds no room is left out, so that a rewind knows of the change and refuses.
Result<void> keep(SessionStore& store, const std::string& session, const CheckpointOrigin& origin,
                  agent::FileBefore& before) {
  CheckpointTable table = store.checkpoints();
  auto kept = table.add(session, origin, before);
  if (kept || before.was != agent::FileBefore::Was::kept) return kept;
  before.was = agent::FileBefore::Was::not_kept;
  return table.add(session, origin, before);
}

}  // namespace

SessionCheckpoints::SessionCheckpoints(std::shared_ptr<StoreThread> store, std::string session,
                                       std::string run,
                                       std::shared_ptr<const std::atomic<std::int64_t>> log_size)
    : store_(std::move(store)),
      session_(std::move(session)),
      run_(std::move(run)),
      log_size_(std::move(log_size)) {}

void SessionCheckpoints::before_change(const std::string& tool_use_id, agent::FileBefore before) {
  auto over = std::make_shared<std::promise<void>>();
  auto waited = over->get_future();
  CheckpointOrigin origin{run_, tool_use_id, log_size_->load()};
  store_->post([over, late = late_, session = session_, origin = std::move(origin),
                before = std::move(before)](const Result<SessionStore*>& store) mutable {
    auto kept = store ? keep(**store, session, origin, before) : Result<void>(store.error());
    if (!kept) log::error("store: a file before its change is not kept: " + kept.error().message);
    *late = false;
    over->set_value();
  });
  if (*late_) return;
  if (waited.wait_for(kLongestWait) != std::future_status::ready) {
    *late_ = true;
    log::error("store: it does not answer; a file is changed without waiting for it");
  }
}

}  // namespace agentd::session
