// MortalJournal: the journal of a process that dies. It hands on to the real one what a run tells
// it, and the run's events to what keeps them as parts, until a word drawn before the run: from
// there on nothing is written any more. Shortly after, or as soon as the run would wait for the
// disk, the process counts as dead: what it does then did not happen. It remembers what it handed
// on, so that a test knows what must be found. Any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/event.h"
#include "agent/journal.h"
#include "server/events.h"
#include "session/journal.h"

namespace agentd::test {

/// What was handed on and must outlive the process.
struct Handed {
  struct Draft {
    Block block;
    bool began = false;
    std::optional<ToolResultBlock> result;
  };

  std::vector<MessagePtr> log;     // of the whole session
  context::View view;              // as of the last word of it
  std::map<int, Draft> draft;      // the reply under way, by the number of the block
  std::vector<std::string> parts;  // keys (kept_parts.h) of the events of this run
};

class MortalJournal final : public agent::Journal, public agent::Sink {
 public:
  /// `handed`: what is there already. `events` keeps the parts.
  MortalJournal(std::shared_ptr<session::SessionJournal> real,
                std::unique_ptr<server::EventWriter> events, Handed handed);

  /// Nothing is written from the word number `silent` on, counted from 0; the process is dead
  /// `later` words after it at the latest. `at_death` is called once, under a lock.
  void die(int silent, int later, std::function<void()> at_death);
  /// The same from the first word on behind the start of call number `calls`, once that is kept.
  void die_in_call(int calls, int later, std::function<void()> at_death);

  bool silent() const;
  bool dead() const;
  /// The calls that clients were told of, also after the death.
  std::set<std::string> calls() const;
  Handed handed() const;

  // agent::Sink
  void emit(agent::Event event) override;

  // agent::Journal
  void keep(agent::Conversation& conversation) override;
  void keep_state(const agent::Conversation& conversation) override;
  void keep_block(int number, const Block& block) override;
  void keep_result(const ToolResultBlock& result) override;
  void drop_reply() override;
  void keep_start(const std::string& tool_use_id) override;
  void sync(std::function<void(Result<void>)> done) override;

 private:
  bool writes();
  bool is_silent() const { return silent_at_ >= 0 && words_ > silent_at_; }
  void end();
  Handed::Draft* call_in_draft(const std::string& id);

  const std::shared_ptr<session::SessionJournal> real_;
  const std::unique_ptr<server::EventWriter> events_;

  mutable std::mutex mutex_;  // of all below
  Handed handed_;
  std::set<std::string> calls_;
  int words_ = 0;
  int silent_at_ = -1;  // never
  int dead_at_ = -1;
  int calls_to_start_ = -1;  // the last of them is the one to die in
  int later_ = 0;
  bool dead_ = false;
  std::function<void()> at_death_;
};

}  // namespace agentd::test
