#include "property/kept_parts.h"

#include <algorithm>
#include <set>

#include "protocol/methods.h"
#include "wire/parse.h"

namespace agentd::test {
namespace {

// The key of each event; empty: it makes no part of its own.
struct Key {
  static std::string of(std::string_view method, const std::string& id = "",
                        std::string_view state = "") {
    return std::string(method) + ' ' + id + ' ' + std::string(state);
  }
  std::string operator()(const agent::RunStarted&) { return of(protocol::kRunStarted.name); }
  std::string operator()(const agent::TurnStarted&) { return of(protocol::kTurnStarted.name); }
  std::string operator()(const agent::TurnEnded&) { return of(protocol::kTurnEnded.name); }
  std::string operator()(const agent::TextDelta& e) {
    return of(protocol::kTextDelta.name, e.block_id);
  }
  std::string operator()(const agent::ThinkingDelta& e) {
    return of(protocol::kThinkingDelta.name, e.block_id);
  }
  std::string operator()(const agent::ToolUse& e) {
    switch (e.state) {
      case agent::ToolUseState::started:
        return of(protocol::kToolUse.name, e.tool_use_id, "started");
      case agent::ToolUseState::input_delta:
        return "";
      case agent::ToolUseState::ready:
        return of(protocol::kToolUse.name, e.tool_use_id, "ready");
      case agent::ToolUseState::running:
        return of(protocol::kToolUse.name, e.tool_use_id, "running");
    }
    return "";
  }
  std::string operator()(const agent::ToolProgress&) { return ""; }
  std::string operator()(const agent::ToolResult& e) {
    return of(protocol::kToolResult.name, e.tool_use_id);
  }
  std::string operator()(const agent::ApprovalRequested& e) {
    return of(protocol::kApprovalRequested.name, e.tool_use_id);
  }
  std::string operator()(const agent::ApprovalResolved& e) {
    return of(protocol::kApprovalResolved.name, e.tool_use_id);
  }
  std::string operator()(const agent::QuestionAsked& e) {
    return of(protocol::kQuestionAsked.name, e.tool_use_id);
  }
  std::string operator()(const agent::QuestionResolved& e) {
    return of(protocol::kQuestionResolved.name, e.tool_use_id);
  }
  std::string operator()(const agent::ReplyDiscarded&) {
    return of(protocol::kReplyDiscarded.name);
  }
  std::string operator()(const agent::Retrying&) { return of(protocol::kRetrying.name); }
  std::string operator()(const agent::ModeChanged&) { return of(protocol::kModeChanged.name); }
  std::string operator()(const agent::TodosChanged&) { return of(protocol::kTodo.name); }
  std::string operator()(const agent::Attachment&) { return of(protocol::kAttachment.name); }
  std::string operator()(const agent::Compacting&) { return of(protocol::kCompacting.name); }
  std::string operator()(const agent::Compacted&) { return of(protocol::kCompacted.name); }
  std::string operator()(const agent::HookRan& e) {
    return of(protocol::kHook.name, e.tool_use_id);
  }
  std::string operator()(const agent::ToolSummary&) { return of(protocol::kToolSummary.name); }
  std::string operator()(const agent::Notice&) { return of(protocol::kNotice.name); }
  std::string operator()(const agent::RunEnded&) { return of(protocol::kRunEnded.name); }
};

bool is_text(const std::string& key) {
  return key.starts_with(protocol::kTextDelta.name) ||
         key.starts_with(protocol::kThinkingDelta.name);
}

std::string text_in(const Json& params, const char* name) {
  return std::string(wire::string_member(params, name).value_or(""));
}

// Of those that have to do with a call.
std::string member(const session::Part& part, const char* name) {
  if (part.params.find("toolUseId") == std::string::npos) return "";
  const auto params = wire::parse(part.params);
  return params ? text_in(*params, name) : "";
}

bool closes(const std::string& method) {
  return method == protocol::kApprovalResolved.name || method == protocol::kQuestionResolved.name ||
         method == protocol::kToolResult.name || method == protocol::kTurnEnded.name ||
         method == protocol::kRunEnded.name;
}

// What must end, over one run.
class Closure {
 public:
  explicit Closure(std::vector<std::string>& faults) : faults_(faults) {}

  void see(const session::Part& part) {
    const std::string id = member(part, "toolUseId");
    if (!started_ && part.method != protocol::kRunStarted.name) fail(part, "before runStarted");
    if (ended_) fail(part, "after runEnded");
    if (part.method == protocol::kRunStarted.name && started_) fail(part, "twice");
    started_ = true;
    if (part.method == protocol::kRunEnded.name) ended_ = true;
    if (part.method == protocol::kTurnStarted.name) open(part, "turn");
    if (part.method == protocol::kTurnEnded.name) close(part, "turn");
    if (part.method == protocol::kToolUse.name && member(part, "state") == "started") {
      open(part, "call " + id);
    }
    if (part.method == protocol::kToolResult.name) close(part, "call " + id);
    if (part.method == protocol::kApprovalRequested.name) open(part, "approval of " + id);
    if (part.method == protocol::kApprovalResolved.name) close(part, "approval of " + id);
    if (part.method == protocol::kQuestionAsked.name) open(part, "question of " + id);
    if (part.method == protocol::kQuestionResolved.name) close(part, "question of " + id);
  }

  void finish(const std::string& run) {
    if (!ended_) faults_.push_back("parts of " + run + ": no runEnded");
    for (const auto& what : open_) faults_.push_back("parts of " + run + ": open " + what);
  }

 private:
  void open(const session::Part& part, const std::string& what) {
    if (!open_.insert(what).second) fail(part, "opens what is open");
  }
  void close(const session::Part& part, const std::string& what) {
    if (open_.erase(what) == 0) fail(part, "closes what is not open: " + what);
  }
  void fail(const session::Part& part, const std::string& what) {
    faults_.push_back("part " + std::to_string(part.number) + " of " + part.run + ", " +
                      part.method + ": " + what);
  }

  std::vector<std::string>& faults_;
  std::set<std::string> open_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

void add_key(std::vector<std::string>& keys, const agent::Event& event) {
  std::string key = std::visit(Key{}, event);
  if (key.empty() || (is_text(key) && !keys.empty() && keys.back() == key)) return;
  keys.push_back(std::move(key));
}

std::string key_of(const session::Part& part) {
  const auto params = wire::parse(part.params);
  if (!params) return "no JSON";
  const char* id = is_text(part.method) ? "blockId" : "toolUseId";
  return Key::of(part.method, text_in(*params, id), text_in(*params, "state"));
}

std::vector<std::string> broken_promises(const std::vector<session::Part>& parts) {
  std::vector<std::string> faults;
  std::set<std::string> runs;
  for (std::size_t i = 0; i < parts.size();) {
    const std::string run = parts[i].run;
    if (!runs.insert(run).second) faults.push_back("parts of " + run + " are not together");
    Closure closure(faults);
    for (; i < parts.size() && parts[i].run == run; ++i) {
      if (i > 0 && parts[i].number <= parts[i - 1].number) faults.push_back("numbers do not rise");
      if (i > 0 && parts[i].log_size < parts[i - 1].log_size) faults.push_back("the log shrinks");
      closure.see(parts[i]);
    }
    closure.finish(run);
  }
  return faults;
}

std::vector<std::string> lost_parts(const std::vector<session::Part>& parts, const std::string& run,
                                    std::vector<std::string> told, bool killed) {
  std::vector<std::string> faults;
  std::vector<const session::Part*> of_run;
  for (const auto& part : parts) {
    const bool is_prompt = part.method == protocol::kUserMessage.name;
    if (part.run == run && !is_prompt) of_run.push_back(&part);
  }
  // The text that was still arriving is told of when it is whole, or something else is told.
  const std::size_t there = of_run.size();
  const bool last_lost = !told.empty() && is_text(told.back()) &&
                         (there < told.size() || key_of(*of_run[told.size() - 1]) != told.back());
  if (killed && last_lost) told.pop_back();
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string found = i < there ? key_of(*of_run[i]) : "nothing";
    if (found == told[i]) continue;
    faults.push_back("told was " + told[i] + ", kept is " + found);
    return faults;
  }
  for (std::size_t i = told.size(); i < there; ++i) {
    if (!killed || !closes(of_run[i]->method))
      faults.push_back("kept besides: " + key_of(*of_run[i]));
  }
  return faults;
}

}  // namespace agentd::test
