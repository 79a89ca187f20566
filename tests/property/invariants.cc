#include "property/invariants.h"

#include <map>
#include <set>

#include "base/utf8.h"

namespace agentd::test {
namespace {

using namespace agentd::agent;

struct CallLog {
  bool ready = false;
  bool running = false;
  bool asked = false;
  bool resolved = false;
  bool asks_user = false;
  bool answered = false;
  bool closed = false;
};

class EventChecker {
 public:
  explicit EventChecker(int max_turns) : max_turns_(max_turns) {}

  void check(const Event& event) {
    if (ended_) fail("an event after RunEnded");
    if (!started_ && !std::holds_alternative<RunStarted>(event)) fail("RunStarted is not first");
    std::visit([this](const auto& e) { on(e); }, event);
  }

  std::vector<std::string> finish() {
    if (!ended_) fail("no RunEnded");
    for (const auto& [id, call] : calls_) {
      if (!call.closed) fail(id + " has no result");
      if (call.asked && !call.resolved) fail(id + " has an open question");
      if (call.asks_user && !call.answered) fail(id + " asked the user and never closed it");
    }
    return faults_;
  }

 private:
  void on(const RunStarted&) {
    if (started_) fail("RunStarted twice");
    started_ = true;
  }
  void on(const TurnStarted& turn) {
    if (turn_open_) fail("a turn inside a turn");
    if (turn.turn != ++turns_) fail("turns are not counted by one");
    if ((turn.turn == 1) == turn.transition.has_value())
      fail("transition on turn 1, or none later");
    if (max_turns_ > 0 && turn.turn > max_turns_) fail("a turn more than maxTurns");
    turn_open_ = true;
  }
  void on(const TurnEnded&) {
    if (!turn_open_) fail("TurnEnded without TurnStarted");
    for (const auto& [id, call] : calls_) {
      if (!call.closed) fail(id + " is open at the end of its turn");
    }
    turn_open_ = false;
  }
  void on(const TextDelta&) {
    if (!turn_open_) fail("text outside a turn");
  }
  void on(const ThinkingDelta&) {
    if (!turn_open_) fail("thinking outside a turn");
  }
  void on(const ToolUse& use) {
    if (use.state == ToolUseState::started) {
      if (!calls_.emplace(use.tool_use_id, CallLog{}).second) fail(use.tool_use_id + " twice");
      return;
    }
    CallLog& call = open_call(use.tool_use_id);
    switch (use.state) {
      case ToolUseState::started:
        break;
      case ToolUseState::input_delta:
        if (call.running) fail(use.tool_use_id + " got input while running");
        break;
      case ToolUseState::ready:
        if (call.ready) fail(use.tool_use_id + " ready twice");
        if (use.input == nullptr || !use.input->is_object()) fail("ready without an object");
        call.ready = true;
        break;
      case ToolUseState::running:
        if (!call.ready) fail(use.tool_use_id + " runs but was never ready");
        if (call.running) fail(use.tool_use_id + " runs twice");
        if (call.asked && !call.resolved) fail(use.tool_use_id + " runs with an open question");
        if (call.asks_user && !call.answered) fail(use.tool_use_id + " runs unanswered");
        call.running = true;
        break;
    }
  }
  void on(const ToolProgress& progress) {
    if (!open_call(progress.tool_use_id).running) fail("progress of a call that does not run");
  }
  void on(const ToolResult& result) {
    CallLog& call = open_call(result.tool_use_id);
    call.closed = true;
    if (call.asked && !call.resolved) fail(result.tool_use_id + " ends with an open question");
    if (call.asks_user && !call.answered) fail(result.tool_use_id + " ends unanswered");
    if (result.content.empty()) fail(result.tool_use_id + " has an empty result");
    if (result.is_error != (result.status != ToolStatus::completed)) fail("status against isError");
  }
  void on(const ApprovalRequested& asked) {
    CallLog& call = open_call(asked.tool_use_id);
    if (!call.ready) fail(asked.tool_use_id + " is asked before it is ready");
    if (call.asked && !call.resolved) fail(asked.tool_use_id + " is asked twice at once");
    call.asked = true;
    call.resolved = false;
  }
  void on(const ApprovalResolved& resolved) {
    CallLog& call = open_call(resolved.tool_use_id);
    if (!call.asked || call.resolved) fail(resolved.tool_use_id + " resolved without a question");
    call.resolved = true;
  }
  void on(const QuestionAsked& asked) {
    CallLog& call = open_call(asked.tool_use_id);
    if (!call.ready || call.running) fail(asked.tool_use_id + " asks the user at a wrong time");
    if (call.asks_user) fail(asked.tool_use_id + " asks the user twice");
    if (asked.questions.empty()) fail(asked.tool_use_id + " asks nothing");
    call.asks_user = true;
  }
  void on(const QuestionResolved& resolved) {
    CallLog& call = open_call(resolved.tool_use_id);
    if (!call.asks_user || call.answered) fail(resolved.tool_use_id + " answered unasked");
    call.answered = true;
  }
  void on(const ReplyDiscarded&) {
    for (const auto& [id, call] : calls_) {
      if (!call.closed) fail(id + " is open when its reply is discarded");
    }
  }
  void on(const Retrying&) {
    if (!turn_open_ && !compacting_) fail("a retry outside a turn");
  }
  void on(const Compacting&) {
    if (turn_open_ || compacting_) fail("a compaction inside a turn, or inside another");
    compacting_ = true;
  }
  void on(const Compacted& compacted) {
    if (!compacting_) fail("compacted without compacting");
    if (compacted.fault.empty() && compacted.tokens_after < 0) fail("a size below nothing");
    compacting_ = false;
  }
  void on(const Attachment& attached) {
    if (!turn_open_) fail("an attachment outside a turn");
    if (attached.kind != AttachmentKind::message) return;
    if (!told_.insert(attached.message_id).second) fail(attached.message_id + " was told twice");
  }
  void on(const HookRan& ran) {
    if (!ran.tool_use_id.empty()) open_call(ran.tool_use_id);
    const bool said_something = ran.record.outcome == hooks::HookOutcome::success;
    if (!said_something && ran.record.message.empty()) fail("a hook's fault or no without a word");
  }
  void on(const ModeChanged&) {}
  void on(const TodosChanged&) {
    if (!turn_open_) fail("the todo list changed outside a turn");
  }
  void on(const ToolSummary&) {}
  void on(const Notice&) {}
  void on(const RunEnded& end) {
    if (turn_open_ || compacting_) fail("RunEnded inside a turn or a compaction");
    if (end.turns != turns_) fail("RunEnded counts other turns");
    for (const auto& message : end.not_delivered) {
      if (!told_.insert(message.id).second) fail(message.id + " was told and handed back");
    }
    ended_ = true;
  }

  CallLog& open_call(const std::string& id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) {
      fail(id + " was never started");
      return calls_[id];
    }
    if (found->second.closed) fail("an event of " + id + " after its result");
    return found->second;
  }

  void fail(std::string what) { faults_.push_back(std::move(what)); }

  int max_turns_;
  bool started_ = false;
  bool ended_ = false;
  bool turn_open_ = false;
  bool compacting_ = false;
  int turns_ = 0;
  std::map<std::string, CallLog> calls_;
  std::set<std::string> told_;  // messages of the user: to the model, or back at the end
  std::vector<std::string> faults_;
};

bool blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

std::vector<std::string> ids_of_calls(const Message& message) {
  std::vector<std::string> ids;
  for (const auto& block : message.blocks) {
    if (const auto* call = std::get_if<ToolUseBlock>(&block)) ids.push_back(call->id);
  }
  return ids;
}

}  // namespace

std::vector<std::string> broken_promises(const std::vector<Event>& events, int max_turns) {
  EventChecker checker(max_turns);
  for (const auto& event : events) checker.check(event);
  return checker.finish();
}

std::vector<std::string> broken_rules(const std::vector<MessagePtr>& messages) {
  std::vector<std::string> faults;
  std::set<std::string> ids;
  std::vector<std::string> open;
  Role expected = Role::user;
  for (const auto& message : messages) {
    if (message->role != expected) faults.push_back("roles do not alternate");
    expected = message->role == Role::user ? Role::assistant : Role::user;
    if (message->blocks.empty()) faults.push_back("an empty message");
    std::vector<std::string> answered;
    bool results_over = false;
    for (const auto& block : message->blocks) {
      const auto* result = std::get_if<ToolResultBlock>(&block);
      if (result == nullptr) {
        results_over = true;
      } else {
        if (results_over) faults.push_back("a result behind other blocks");
        if (result->content.empty()) faults.push_back("an empty result");
        answered.push_back(result->tool_use_id);
      }
      if (const auto* text = std::get_if<TextBlock>(&block)) {
        if (blank(text->text)) faults.push_back("blank text");
        if (!utf8::valid(text->text)) faults.push_back("invalid UTF-8");
      }
      if (const auto* call = std::get_if<ToolUseBlock>(&block)) {
        if (call->id.empty() || !ids.insert(call->id).second) faults.push_back("an id twice");
        if (!call->input.is_object()) faults.push_back("an input that is no object");
      }
    }
    if (answered != open) faults.push_back("results do not answer the calls, in order");
    open = ids_of_calls(*message);
  }
  if (!open.empty()) faults.push_back("calls without results at the end");
  return faults;
}

}  // namespace agentd::test
