// TerminalView: a run as a person in a shell sees it: the answer on standard output, tool activity
// and notices on standard error. Used by the main thread of `agentd run` only; writing waits for
// the reader, which the caller can interrupt.
#pragma once

#include <functional>
#include <map>
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
  /// Edits are allowed by the mode already: nobody is told to allow them.
  void edits_are_allowed() { edits_allowed_ = true; }
  /// A question, ending where the person types. Until question_over() it is repeated below what
  /// else is said, and the answer's text waits.
  void ask(const agent::ApprovalRequested& question);
  /// The same of a question of the model, one of `count` that its call asks.
  void ask(const Question& question, std::size_t number, std::size_t count);
  void ask_again();
  /// The person ended the line; or nobody needs to any more.
  void answered();
  void question_over();
  void say(std::string_view line);  // to standard error
  /// The terminal itself wrote something, as `^C`: what is said next begins a line.
  void line_broken() { activity_open_ = true; }

 private:
  // Of a call, from its first event to its result.
  struct Call {
    std::string summary;
    bool edits = false;
  };

  void show_event(const agent::TurnStarted& event);
  void show_event(const agent::TurnEnded& event);
  void show_event(const agent::TextDelta& event);
  void show_event(const agent::ToolUse& event);
  void show_event(const agent::ToolProgress& event);
  void show_event(const agent::ToolResult& event);
  void show_event(const agent::ApprovalResolved& event);
  void show_event(const agent::ReplyDiscarded& event);
  void show_event(const agent::Retrying& event);
  void show_event(const agent::ModeChanged& event);
  void show_event(const agent::TodosChanged& event);
  void show_event(const agent::Notice& event);
  void show_event(const agent::RunEnded& event);
  template <class Other>
  void show_event(const Other&) {}  // of no interest in a shell

  void release_text();
  void write_answer(std::string_view text);
  void write_activity(std::string_view text);
  void write_prompt();
  void tell_denials();

  Place place_;
  std::map<std::string, Call, std::less<>> calls_;  // by id
  std::string block_id_;                            // of the answer's text told last
  bool block_open_ = false;                         // more of that block may come
  bool answer_begun_ = false;
  bool parted_ = false;          // what waits is a new block: a blank line goes before it
  std::string waiting_;          // the answer's text that is not written yet
  bool kept_ = false;            // a call of this turn runs: its reply is not discarded any more
  bool text_this_turn_ = false;  // some was written
  bool answer_open_ = false;     // the answer's last line has no end yet
  bool activity_open_ = false;   // the same of standard error
  bool question_open_ = false;
  std::string prompt_;        // the question's last line
  std::string help_;          // said where an answer was none
  std::string unended_line_;  // progress told during a question, up to its line end
  bool edits_allowed_ = false;
  int denied_edits_ = 0;  // because nobody could be asked
  int denied_others_ = 0;
};

/// What a call is about, in one line: `Read README.md`, `Bash make test`.
std::string summary(std::string_view tool, const Json& input);

}  // namespace agentd::server
