// Call: one tool_use block and what became of it. The states and their legal moves:
//
//   streaming -> whole               its input is one JSON object that passes the tool's schema
//   whole     -> checking            a job looks whether it may run
//   checking  -> must_ask            it may, if the user agrees; asked in block order
//             -> waiting             it may, when its place comes
//   must_ask  -> awaiting_approval
//   waiting   -> awaiting_answer     it asks the user itself; asked in block order
//   awaiting_answer -> waiting       answered
//   awaiting_approval -> waiting     allowed
//                     -> whole       allowed with another input, which is checked anew
//   waiting   -> running             a job runs it (after looking again)
//   checking  -> running             the same job, if its place was free already
//   any       -> settled             completed, failed, denied or cancelled; nothing follows
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/event.h"
#include "agent/hook_context.h"
#include "message/access.h"
#include "tools/tool.h"

namespace agentd::agent {

enum class CallState {
  streaming,
  whole,
  checking,
  must_ask,
  awaiting_approval,
  awaiting_answer,
  waiting,
  running,
  settled,
};

struct Call {
  int block = 0;  // its number in the reply
  std::string id;
  std::string name;
  CallState state = CallState::streaming;

  const tools::Tool* tool = nullptr;  // nullptr: unknown
  std::shared_ptr<const Json> input;  // coerced
  bool safe = false;
  bool moved_on = false;  // the reply went on behind it
  bool empty_input = false;
  bool ready_told = false;
  bool cancelled_ahead = false;  // a failure ahead of it cancels it once it is whole

  bool holds_place = false;  // its job may run it, not only check it
  bool began = false;        // the tool was entered
  std::uint64_t job = 0;     // the job under way; 0: none
  std::stop_source stop;
  permission::Mode judged_in = permission::Mode::ask;  // by its last job
  std::optional<Access> approved;                      // what the user agreed to, resolved
  bool repeated = false;  // it closes a circle (RepeatedCalls) and must be asked about
  HookWord hook_word;
  bool hooks_changed_input = false;
  bool input_replaced = false;  // by the user, who thereby agreed to the new one
  Access asked;                 // what the question is about, resolved
  std::string reason;           // why it must be asked
  std::optional<std::string> preview;
  std::vector<QuestionAnswer> answers;  // what the user said to what it asks them

  ToolResult result;  // once settled

  /// Rule 2: a safe call starts as soon as it is whole; any other, and one with empty input, when
  /// besides the reply has moved on.
  bool released() const { return moved_on || (safe && !empty_input); }
};

}  // namespace agentd::agent
