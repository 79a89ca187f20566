// Sessions: which conversations there are and which of them is with a run right now, and how the
// last runs ended. The reader thread's only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/hook_context.h"
#include "agent/run.h"
#include "config/settings.h"
#include "message/tool_choice.h"
#include "server/events.h"
#include "session/journal.h"

namespace agentd::server {

/// A request that is done later.
struct WaitingRequest {
  std::string run_id;  // of a start: the name it gives, if any
  std::function<void()> go_on;
};

struct ActiveRun {
  std::string run_id;
  std::optional<permission::Mode> mode;  // asked for when the run was past hearing it
  /// Requests that came between runEnded and the conversation's return, and those for a run that
  /// one of them will start; done after it, in order.
  std::vector<WaitingRequest> after_end;
  std::unique_ptr<EventWriter> events;
  std::shared_ptr<FlowGate> gate;
  std::unique_ptr<agent::Run> run;  // after what it uses: it is destroyed first
};

/// What requests begin with besides the conversation, as the last start asked for it.
struct RequestWishes {
  std::optional<std::string> system_prompt;
  std::optional<std::vector<std::string>> tools;
  ToolChoice tool_choice;
};

struct Session {
  std::string id;
  config::Settings settings;  // as they were when the session began
  std::shared_ptr<const hooks::HookSet> hooks;
  context::MemoryPlaces memory_places;
  std::optional<std::string> model;  // what was asked for last
  RequestWishes last_wishes;
  std::shared_ptr<session::SessionJournal> journal;  // nullptr: it is kept in memory alone
  bool held = false;     // with a journal: no other process may write it now
  bool had_run = false;  // in this process
  std::optional<agent::Conversation> conversation;  // absent while a run has it
  std::optional<ActiveRun> active;

  session::StoredWishes stored_wishes() const {
    return {model, last_wishes.system_prompt, last_wishes.tools};
  }
  /// What it is besides what was said, where it is stored; it is with no run.
  void keep_state() {
    if (!journal) return;
    journal->set_wishes(stored_wishes());
    journal->keep_state(*conversation);
  }
};

class Sessions {
 public:
  Session* find(const std::string& session_id);
  Session& add(Session session);
  /// It is no more, or must be taken from the store anew. It is with no run.
  void forget(const std::string& session_id) { sessions_.erase(session_id); }

  /// Where requests wait while their session is taken from the store; nullptr if it is not.
  std::vector<WaitingRequest>* opening(const std::string& session_id);
  std::vector<WaitingRequest>& begin_opening(const std::string& session_id);
  /// Returns what waited.
  std::vector<WaitingRequest> end_opening(const std::string& session_id);

  /// The session whose run that is and is still going on.
  Session* find_by_run(const std::string& run_id);
  /// How a run that is over ended; of the last kRemembered runs.
  std::optional<agent::Ending> ending(const std::string& run_id) const;
  /// Where a start waits that will begin `run_id`.
  std::vector<WaitingRequest>* find_waiting_start(const std::string& run_id);
  bool run_id_used(const std::string& run_id);

  void run_began(Session& session, ActiveRun active);
  /// Returns the requests that waited for it.
  std::vector<WaitingRequest> run_ended(const std::string& session_id,
                                        agent::Conversation conversation);

  /// No run goes on, and none waits for its session.
  bool idle() const { return by_run_.empty() && opening_.empty(); }
  template <class Visitor>
  void each_active(Visitor visit) {
    for (auto& [run_id, session] : by_run_) visit(*session->active->run);
  }
  /// What the SessionEnd hooks are told of each session that had a run; none is with one.
  std::vector<agent::HookContext> hook_contexts() const;
  bool every_run_succeeded() const { return every_run_succeeded_; }

  static constexpr std::size_t kRemembered = 1000;

 private:
  void remember(const std::string& run_id, agent::Ending ending);

  std::map<std::string, Session> sessions_;  // nodes stay where they are
  std::unordered_map<std::string, Session*> by_run_;
  std::map<std::string, std::vector<WaitingRequest>> opening_;
  std::unordered_map<std::string, agent::Ending> endings_;
  std::deque<std::string> ended_order_;
  bool every_run_succeeded_ = true;
};

}  // namespace agentd::server
