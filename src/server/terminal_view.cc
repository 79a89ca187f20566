#include "server/terminal_view.h"

#include <array>
#include <utility>

#include "base/utf8.h"
#include "server/printable.h"
#include "server/question_answer.h"
#include "wire/parse.h"
#include "wire/text.h"

namespace agentd::server {
namespace {

constexpr std::size_t kMaxSummary = 120;      // bytes of a call in one line
constexpr std::size_t kMaxInputShown = 8000;  // bytes of an input in a question

std::string first_line(std::string_view text, std::size_t bytes) {
  const std::size_t end = text.find('\n');
  const std::string_view line = utf8::head(text.substr(0, end), bytes);
  return printable(line) + (line.size() < text.size() ? " ..." : "");
}

std::string whole_input(const Json& input) {
  if (const auto command = wire::string_member(input, "command")) return std::string(*command);
  std::string text;
  wire::append_json(text, input);
  return wire::indented(text);
}

std::string indent(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

std::string_view word(agent::ToolStatus status) {
  switch (status) {
    case agent::ToolStatus::completed:
      return "completed";
    case agent::ToolStatus::failed:
      return "failed";
    case agent::ToolStatus::denied:
      return "denied";
    case agent::ToolStatus::cancelled:
      return "cancelled";
  }
  return "";
}

std::string_view mark(TodoStatus status) {
  switch (status) {
    case TodoStatus::pending:
      return "[ ]";
    case TodoStatus::in_progress:
      return "[>]";
    case TodoStatus::completed:
      return "[x]";
  }
  return "";
}

// For an ending that brings no message of its own.
std::string_view words(agent::Ending ending) {
  switch (ending) {
    case agent::Ending::completed:
      return "Done.";
    case agent::Ending::aborted_streaming:
    case agent::Ending::aborted_tools:
      return "Cancelled.";
    case agent::Ending::blocked:
      return "Stopped: a call was denied.";
    case agent::Ending::hook_stopped:
    case agent::Ending::stop_hook_prevented:
      return "Stopped by a hook.";
    case agent::Ending::repeated_calls:
      return "Stopped: the model made the same calls again and again.";
    case agent::Ending::max_budget:
      return "Stopped: this run has cost what it may (--max-budget-usd).";
    case agent::Ending::max_turns:
      return "Stopped: this run may call the model no more (--max-turns).";
    case agent::Ending::output_limit:
      return "Stopped: the model's reply reached its output limit.";
    case agent::Ending::prompt_too_long:
      return "Stopped: this is more than fits the model's context window.";
    case agent::Ending::blocking_limit:
      return "Stopped: the model's context window is full.";
    case agent::Ending::image_error:
      return "The model's endpoint refuses an image.";
    case agent::Ending::refused:
      return "The model refused to answer.";
    case agent::Ending::model_error:
      return "The model gave no usable answer.";
    case agent::Ending::internal_error:
      return "Something failed inside agentd (a bug).";
  }
  return "";
}

// What a grant for the session reaches.
std::string_view covered(const Json& input) {
  if (wire::string_member(input, "command")) return "this same command";
  if (wire::string_member(input, "file_path")) return "this same file";
  return "this same file / command";
}

bool is_edit(std::string_view tool) {
  return tool == "Write" || tool == "Edit";
}

}  // namespace

std::string summary(std::string_view tool, const Json& input) {
  std::string out = printable(tool);
  constexpr std::array<std::string_view, 4> kTelling{"command", "file_path", "pattern", "path"};
  for (const std::string_view key : kTelling) {
    if (const auto value = wire::string_member(input, key)) {
      return out + ' ' + first_line(*value, kMaxSummary);
    }
  }
  return out;
}

void TerminalView::show(const agent::Event& event) {
  std::visit([this](const auto& told) { show_event(told); }, event);
}

void TerminalView::show_event(const agent::TurnStarted&) {
  kept_ = false;
  text_this_turn_ = false;
}

void TerminalView::show_event(const agent::TurnEnded&) {
  kept_ = true;
  block_open_ = false;
  release_text();
}

void TerminalView::show_event(const agent::TextDelta& event) {
  const std::string text = place_.answer_is_terminal ? printable(event.text) : event.text;
  if (text.empty()) return;
  if (block_id_ != event.block_id) {
    block_open_ = false;
    release_text();
    if (waiting_.empty()) {
      parted_ = answer_begun_;
    } else {
      waiting_ += waiting_.back() == '\n' ? "\n" : "\n\n";
    }
  }
  block_id_ = event.block_id;
  block_open_ = true;
  waiting_ += text;
  release_text();
}

// Into a file only whole blocks of a reply that stays: then lines of activity between them, where
// both go to one place, split none, and the file holds the answer and nothing else.
void TerminalView::release_text() {
  if (waiting_.empty() || question_open_) return;
  if (!place_.answer_is_terminal && (!kept_ || block_open_)) return;
  if (parted_) waiting_.insert(0, answer_open_ ? "\n\n" : "\n");
  parted_ = false;
  answer_begun_ = true;
  text_this_turn_ = true;
  write_answer(waiting_);
  waiting_.clear();
}

void TerminalView::show_event(const agent::ToolUse& event) {
  switch (event.state) {
    case agent::ToolUseState::started:
      block_open_ = false;
      calls_[event.tool_use_id] = {printable(event.name), is_edit(event.name)};
      return release_text();
    case agent::ToolUseState::input_delta:
      return;
    case agent::ToolUseState::ready: {
      std::string line = summary(event.name, event.input ? *event.input : Json::object());
      say("* " + line);
      calls_[event.tool_use_id] = {std::move(line), is_edit(event.name)};
      return;
    }
    case agent::ToolUseState::running:
      kept_ = true;
      return release_text();
  }
}

// During a question by whole lines: each is followed by the question's last line.
void TerminalView::show_event(const agent::ToolProgress& event) {
  const std::string text = place_.activity_is_terminal ? printable(event.text) : event.text;
  if (!question_open_) return write_activity(text);
  unended_line_ += text;
  const std::size_t end = unended_line_.rfind('\n');
  if (end == std::string::npos) return;
  const std::string lines = unended_line_.substr(0, end + 1);
  unended_line_.erase(0, end + 1);
  write_activity(lines);
}

void TerminalView::show_event(const agent::ToolResult& event) {
  const auto call = calls_.find(event.tool_use_id);
  std::string line = "  " + (call == calls_.end() ? printable(event.name) : call->second.summary) +
                     ' ' + std::string(word(event.status));
  if (call != calls_.end()) calls_.erase(call);
  if (event.status != agent::ToolStatus::completed && !event.content.empty()) {
    if (const auto* text = std::get_if<TextBlock>(&event.content.front())) {
      line += ": " + first_line(text->text, 300);
    }
  }
  say(line);
}

void TerminalView::show_event(const agent::ApprovalResolved& event) {
  if (event.by != agent::ApprovalBy::no_approver) return;
  const auto call = calls_.find(event.tool_use_id);
  ++(call != calls_.end() && call->second.edits ? denied_edits_ : denied_others_);
}

void TerminalView::show_event(const agent::ReplyDiscarded&) {
  waiting_.clear();
  block_id_.clear();
  block_open_ = false;
  kept_ = false;
  if (text_this_turn_) {
    write_answer(answer_open_ ? "\n[reply discarded]\n" : "[reply discarded]\n");
  }
  text_this_turn_ = false;
}

void TerminalView::show_event(const agent::Retrying& event) {
  say("retrying (" + std::to_string(event.attempt) + " of " + std::to_string(event.max_attempts) +
      ", in " + std::to_string(event.delay.count()) + " ms): " + first_line(event.reason, 300));
}

void TerminalView::show_event(const agent::ModeChanged& event) {
  say("agentd: the permission mode is " + std::string(to_string(event.mode)) + " now");
}

void TerminalView::show_event(const agent::TodosChanged& event) {
  for (const Todo& todo : event.todos) {
    const bool now = todo.status == TodoStatus::in_progress;
    say("  " + std::string(mark(todo.status)) + ' ' +
        first_line(now ? todo.active_form : todo.content, kMaxSummary));
  }
}

void TerminalView::show_event(const agent::Notice& event) {
  say("agentd: " + printable(event.message));
}

void TerminalView::show_event(const agent::RunEnded& event) {
  question_over();
  kept_ = true;
  block_open_ = false;
  release_text();
  if (answer_open_) write_answer("\n");
  tell_denials();
  if (agent::outcome_of(event.ending) == agent::OutcomeKind::success) return;
  say("agentd: " +
      (event.message.empty() ? std::string(words(event.ending)) : printable(event.message)));
}

void TerminalView::tell_denials() {
  const int denied = denied_edits_ + denied_others_;
  if (denied == 0) return;
  std::string line = denied == 1 ? "1 call was" : std::to_string(denied) + " calls were";
  line += " denied because nobody could be asked; --permission-mode ";
  if (denied_edits_ == 0 || edits_allowed_) {
    line += "bypass allows everything";
  } else {
    line += "acceptEdits allows edits";
    if (denied_others_ > 0) line += ", bypass allows everything";
  }
  say(line);
}

void TerminalView::ask(const agent::ApprovalRequested& question) {
  const Json input = question.input ? *question.input : Json::object();
  prompt_ = "Allow it? y: yes, n: no";
  if (question.may_be_granted) {
    prompt_ += ", s: yes, and also later for " + std::string(covered(input));
  }
  prompt_ += " > ";
  help_ = question.may_be_granted ? "Please answer y, n or s; words behind n are told to the model."
                                  : "Please answer y or n; words behind n are told to the model.";
  say("? " + printable(question.name) + ": " + printable(question.reason));
  const std::string shown = question.preview ? *question.preview : whole_input(input);
  const std::string_view head = utf8::head(shown, kMaxInputShown);
  say(indent(printable(head)));
  if (head.size() < shown.size()) {
    say("  [... " + std::to_string(shown.size() - head.size()) + " more bytes ...]");
  }
  question_open_ = true;
  write_prompt();
}

void TerminalView::ask(const Question& question, std::size_t number, std::size_t count) {
  prompt_ = question_prompt(question);
  help_ = "There is no such option.";
  say(question_text(question, number, count));
  question_open_ = true;
  write_prompt();
}

void TerminalView::ask_again() {
  activity_open_ = false;  // the person's line end ended it
  place_.activity(help_ + "\n");
  write_prompt();
}

void TerminalView::write_prompt() {
  place_.activity(prompt_);
  activity_open_ = true;
}

void TerminalView::answered() {
  activity_open_ = false;
  question_over();
}

void TerminalView::question_over() {
  if (!question_open_) return;
  question_open_ = false;
  if (activity_open_) write_activity("\n");
  write_activity(std::exchange(unended_line_, ""));
  release_text();
}

void TerminalView::say(std::string_view line) {
  if (activity_open_ && !question_open_) write_activity("\n");
  write_activity(std::string(line) + "\n");
}

void TerminalView::write_answer(std::string_view text) {
  if (text.empty()) return;
  if (activity_open_) {
    place_.activity("\n");
    activity_open_ = false;
  }
  place_.answer(text);
  answer_open_ = text.back() != '\n';
}

void TerminalView::write_activity(std::string_view text) {
  if (text.empty()) return;
  // What is said does not go into the middle of the answer's line, on one screen or in one file.
  // Only a screen that shows nothing but the answer needs no new line; a file is not changed by
  // one, as whole blocks stand there and each would begin on a new line anyway.
  if (answer_open_ && (!place_.answer_is_terminal || place_.activity_is_terminal)) {
    place_.answer("\n");
    answer_open_ = false;
  }
  if (question_open_ && activity_open_) place_.activity("\n");
  place_.activity(text);
  activity_open_ = text.back() != '\n';
  if (question_open_) write_prompt();
}

}  // namespace agentd::server
