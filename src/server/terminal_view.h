// TerminalView: a run as a person in a shell sees it: the answer on standard output, tool activity
// and notices on standard error. Used by the main thread of `agentd run` only; writing waits for
// the reader, which the caller can interrupt.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/event.h"

namespace agentd::server {

/// Writes all of a text to one of the two; returns false once nobody reads it any more.
using Write = std::function<bool(std::string_view)>;

class TerminalView {
 public:
  struct Place {
    Write answer;    // standard output
    Write activity;  // standard error
    bool answer_is_terminal = false;
    bool activity_is_terminal = false;
  };
  explicit TerminalView(Place place) : place_(std::move(place)) {}

  void show(const agent::Event& event);
  /// A question, ending where the person types.
  void ask(const agent::ApprovalRequested& question);
  void ask_again();
  void say(std::string_view line);  // to standard error

 private:
  void show_event(const agent::TextDelta& event);
  void show_event(const agent::ToolUse& event);
  void show_event(const agent::ToolProgress& event);
  void show_event(const agent::ToolResult& event);
  void show_event(const agent::ReplyDiscarded& event);
  void show_event(const agent::Retrying& event);
  void show_event(const agent::Notice& event);
  void show_event(const agent::RunEnded& event);
  template <class Other>
  void show_event(const Other&) {}  // of no interest in a shell

  void end_answer_line();
  void write_activity(std::string_view text);

  Place place_;
  std::string block_id_;        // of the answer's text written last
  bool answer_open_ = false;    // the answer's last line has no end yet
  bool activity_open_ = false;  // the same of standard error
};

/// What a call is about, in one line: `Read README.md`, `Bash make test`.
std::string summary(std::string_view tool, const Json& input);

}  // namespace agentd::server
