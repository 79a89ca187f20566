#include "server/session_end.h"

#include <exception>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/side_by_side.h"

namespace agentd::server {
namespace {

constexpr std::size_t kMostSessionsAtOnce = 16;

void log_record(const std::string& session_id, const hooks::HookRecord& record) {
  log::info("session " + session_id + ": a SessionEnd hook of " + record.origin + " took " +
            std::to_string(record.duration.count()) + " ms" +
            (record.message.empty() ? "" : ": " + record.message));
}

}  // namespace

SessionEnd::SessionEnd(std::vector<agent::HookContext> contexts, Clock& clock,
                       platform::Commands& commands, Told told)
    : contexts_(std::move(contexts)), commands_(commands), told_(std::move(told)) {
  if (contexts_.empty()) {
    told_.done();
    return;
  }
  deadline_ = clock.after(kSessionEndHooks, [stop = stop_]() mutable { stop.request_stop(); });
  try {
    // Both at once, as both may take their time; what a hook itself leaves behind ends with agentd.
    thread_ = std::thread([this] {
      side_by_side(contexts_.size() + 1, kMostSessionsAtOnce, [this](std::size_t i) {
        if (i == 0) return commands_.end_session("");
        run_hooks(contexts_[i - 1]);
      });
      told_.done();
    });
  } catch (const std::system_error& error) {
    log::error(std::string("no thread for SessionEnd hooks: ") + error.what());
    told_.done();
  }
}

SessionEnd::~SessionEnd() {
  hurry();
  if (thread_.joinable()) thread_.join();
}

void SessionEnd::run_hooks(const agent::HookContext& context) try {
  if (!context.has(hooks::Event::session_end)) return;
  hooks::HookInput input = context.with(hooks::SessionEndInput{hooks::SessionEndReason::other});
  input.prompt_id.reset();  // it is of no run
  auto outcomes = hooks::run(*context.set, input, commands_, stop_.get_token());
  for (hooks::HookRecord& record : outcomes.records) {
    log_record(context.session_id, record);
    told_.hook(context.session_id, std::move(record));
  }
} catch (const std::exception& failure) {
  log::error(std::string("running SessionEnd hooks failed: ") + failure.what());
}

}  // namespace agentd::server
