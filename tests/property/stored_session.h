// StoredSession: the session of a random run, kept in a real store. Between its runs anything may
// come: the process was killed in the middle of the last one, the session is read anew, forked,
// rewound, and that undone. After each it is held to what must be left of it, byte for byte. The
// test's thread, but where it says so.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/run.h"
#include "property/mortal_journal.h"
#include "property/random_mind.h"
#include "property/session_rig.h"

namespace agentd::test {

/// What befell sessions, and how often.
using Fates = std::map<std::string, int>;
/// What many runs must have met and these have not.
std::vector<std::string> never_met(const Fates& fates);

class StoredSession {
 public:
  using Fail = std::function<void(const std::string&)>;

  /// All outlive it.
  StoredSession(SessionRig& rig, std::uint64_t seed, Fates& fates, Fail fail);
  ~StoredSession();

  /// Makes `options` those of a run that is kept. `requests_now` counts the requests that left.
  void begin_run(agent::RunOptions& options, const agent::Conversation& conversation,
                 std::function<std::size_t()> requests_now);
  /// What the run is to be asked; of its own.
  std::string prompt() const { return "prompt of " + run_; }
  /// What the run tells goes here before anybody else hears it.
  agent::Sink& ears() { return *journal_; }
  /// The process is gone: what happens now happens no more. Any thread while a run goes on.
  bool dead() const { return journal_ && journal_->dead(); }
  /// Copies the session while the run goes on, with chance. Any thread.
  void maybe_fork_running();

  /// What happened in the run that the disk must know of.
  struct Happened {
    std::set<std::string> unsafe_calls;  // that began before the death
    std::set<std::string> safe_calls;
    std::size_t first_request = 0;
    std::function<bool(std::size_t request, const std::string& text)> request_has;
  };
  /// The run is over and nobody has its journal any more: the session comes back as it is now.
  void end_run(agent::Conversation& conversation, const Happened& happened);

  /// The last run was killed.
  bool was_killed() const { return killed_; }
  /// Counts what may have made ids of calls free again: kills that lost some, rewinds, forks.
  int lives() const { return lives_; }

 private:
  struct RunStart {
    std::string run;
    std::string view;
  };

  std::string new_id();
  agent::Conversation opened(const std::string& id, const char* after);
  void let_go();

  void check_kept_run(const agent::Conversation& conversation);
  void after_kill(agent::Conversation& conversation, const Happened& happened);
  void check_prompt(const std::vector<MessagePtr>& log, const Happened& happened);
  void check_calls(const std::vector<MessagePtr>& log, const Happened& happened);
  void check_whole(const std::string& id, const agent::Conversation& conversation);
  void check_running_fork();
  void reopen(agent::Conversation& conversation);
  void fork_at_end(agent::Conversation& conversation);
  void fork_at_run(agent::Conversation& conversation);
  void rewind(agent::Conversation& conversation);
  Result<session::Cut> random_cut(std::string& view);
  void go_on_with(agent::Conversation& conversation, agent::Conversation other,
                  const std::string& id);
  void expect(const std::string& found, const std::string& wanted, const std::string& what);
  void forget_starts();

  SessionRig& rig_;
  Fates& fates_;
  Fail fail_;
  RandomMind fate_;
  std::string base_id_;
  std::string id_;
  int sessions_ = 0;
  int runs_ = 0;
  int lives_ = 0;
  bool killed_ = false;
  bool held_ = false;                   // nobody else may write the session
  std::string run_;                     // the last one
  std::string prompt_;                  // of the run under way; empty: it compacts
  std::vector<RunStart> starts_;        // of the session as it is
  std::string running_fork_;            // empty: none
  std::atomic<int> fork_countdown_{0};  // events till the running session is forked
  std::size_t requests_at_death_ = 0;
  std::shared_ptr<session::SessionJournal> stored_;
  std::shared_ptr<MortalJournal> journal_;
  Handed handed_;  // what must be there when the next run begins
};

}  // namespace agentd::test
