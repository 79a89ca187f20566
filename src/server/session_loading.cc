// session/load: what clients were told of a session is told again, page by page as the client takes
// it, and then the request is answered. What a kill left open is closed first, unless another
// process has the session: then it is told as far as it is stored.
#include <utility>

#include "base/flow_gate.h"
#include "server/closed_sets.h"
#include "server/server.h"
#include "server/session_faults.h"
#include "server/session_replay.h"
#include "session/stored_state.h"
#include "wire/decode.h"
#include "wire/parse.h"

namespace agentd::server {
namespace {

constexpr int kPartsOfPage = 100;  // and fewer where they are large (SessionStore::parts)

struct EndOfRun {
  std::optional<protocol::Ending> ending;
  static void fields(auto& field) { field("ending", &EndOfRun::ending, ""); }
};

std::optional<protocol::Ending> ending_of(const session::Part& part) {
  if (part.method != protocol::kRunEnded.name) return std::nullopt;
  auto params = wire::parse(part.params);
  if (!params) return std::nullopt;
  auto end = wire::decode<EndOfRun>(*params, "");
  return end ? end->ending : std::nullopt;
}

}  // namespace

// One load under way. The reader thread's.
class SessionLoading {
 public:
  SessionLoading(rpc::Outbox& outbox, std::string session_id,
                 Answer<protocol::SessionLoadResult> told)
      : answer(std::move(told)),
        gate(std::make_shared<FlowGate>()),
        replay_(outbox, std::move(session_id), gate) {}

  void tell(const std::vector<session::Part>& page) {
    for (const session::Part& part : page) {
      replay_.tell(part);
      last = part.number;
      last_run = {part.run, ending_of(part)};
    }
  }

  Answer<protocol::SessionLoadResult> answer;
  std::shared_ptr<FlowGate> gate;
  std::int64_t last = 0;  // part that was told
  std::optional<protocol::LastRun> last_run;

 private:
  SessionReplay replay_;
};

namespace {

struct Page {
  std::vector<session::Part> parts;
  std::optional<protocol::SessionLoadResult> result;  // of the last page
};

Result<protocol::SessionLoadResult> about(session::SessionStore& store, const std::string& id) {
  auto row = store.row(id);
  if (!row) return row.error();
  agent::Conversation conversation;
  auto wishes = session::restore_state(row->state, conversation);
  if (!wishes) return wishes.error();
  protocol::SessionLoadResult result;
  result.session_id = row->id;
  result.title = row->title;
  result.cwd = row->workspace;
  result.model = wishes->model;
  result.permission_mode = to_protocol(conversation.mode);
  return result;
}

Result<Page> next_page(session::SessionStore& store, const std::string& id, std::int64_t after) {
  auto parts = store.parts(id, after, kPartsOfPage);
  if (!parts) return parts.error();
  Page page{std::move(*parts), std::nullopt};
  if (!page.parts.empty()) return page;
  auto result = about(store, id);
  if (!result) return result.error();
  page.result = std::move(*result);
  return page;
}

}  // namespace

void Server::load_session(protocol::SessionParams params,
                          Answer<protocol::SessionLoadResult> answer) {
  const auto again = [this, params, answer] { load_session(params, answer); };
  if (wait_for_session(params.session_id, "", std::nullopt, again)) return;
  const auto fault = fault_of(params.session_id);
  if (fault && fault->code != Code::session_locked) return answer.error(*fault);
  ++store_questions_;  // until it is answered
  load_next_page(params.session_id,
                 std::make_shared<SessionLoading>(outbox_, params.session_id, answer));
}

void Server::load_next_page(const std::string& session_id,
                            const std::shared_ptr<SessionLoading>& under_way) {
  if (!under_way->gate->pass_or_wait([this, session_id, under_way] {
        inbox_.post([this, session_id, under_way] { load_next_page(session_id, under_way); });
      })) {
    return;
  }
  ask_store([this, session_id, under_way, after = under_way->last](
                const Result<session::SessionStore*>& store) -> std::function<void()> {
    const auto page = std::make_shared<Result<Page>>(store ? next_page(**store, session_id, after)
                                                           : Result<Page>(store.error()));
    return [this, session_id, under_way, page] {
      if (!*page) {
        --store_questions_;
        return under_way->answer.error(page->error());
      }
      under_way->tell((*page)->parts);
      if (!(*page)->result) return load_next_page(session_id, under_way);
      --store_questions_;
      (*page)->result->last_run = under_way->last_run;
      under_way->answer.result(*(*page)->result);
    };
  });
}

}  // namespace agentd::server
