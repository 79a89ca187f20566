#include "server/terminal_view.h"

#include <array>

#include "base/utf8.h"
#include "server/printable.h"
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

void TerminalView::show_event(const agent::TextDelta& event) {
  if (activity_open_) write_activity("\n");
  std::string text;
  if (!block_id_.empty() && block_id_ != event.block_id) text = answer_open_ ? "\n\n" : "\n";
  block_id_ = event.block_id;
  text += place_.answer_is_terminal ? printable(event.text) : event.text;
  if (text.empty()) return;
  answer_open_ = text.back() != '\n';
  place_.answer(text);
}

void TerminalView::show_event(const agent::ToolUse& event) {
  if (event.state != agent::ToolUseState::ready) return;
  say("* " + summary(event.name, event.input ? *event.input : Json::object()));
}

void TerminalView::show_event(const agent::ToolProgress& event) {
  write_activity(place_.activity_is_terminal ? printable(event.text) : event.text);
}

void TerminalView::show_event(const agent::ToolResult& event) {
  std::string line = "  " + printable(event.name) + ' ' + std::string(word(event.status));
  if (event.status != agent::ToolStatus::completed && !event.content.empty()) {
    if (const auto* text = std::get_if<TextBlock>(&event.content.front())) {
      line += ": " + first_line(text->text, 300);
    }
  }
  say(line);
}

void TerminalView::show_event(const agent::ReplyDiscarded&) {
  block_id_.clear();
  say("(the reply so far is void)");
}

void TerminalView::show_event(const agent::Retrying& event) {
  say("retrying (" + std::to_string(event.attempt) + " of " + std::to_string(event.max_attempts) +
      ", in " + std::to_string(event.delay.count()) + " ms): " + first_line(event.reason, 300));
}

void TerminalView::show_event(const agent::Notice& event) {
  say("agentd: " + printable(event.message));
}

void TerminalView::show_event(const agent::RunEnded& event) {
  if (answer_open_) place_.answer("\n");
  answer_open_ = false;
  if (agent::outcome_of(event.ending) == agent::OutcomeKind::success) return;
  std::string line = "agentd: " + std::string(agent::to_string(event.ending));
  if (!event.message.empty()) line += ": " + printable(event.message);
  say(line);
}

void TerminalView::ask(const agent::ApprovalRequested& question) {
  const Json input = question.input ? *question.input : Json::object();
  say("? " + printable(question.name) + ": " + printable(question.reason));
  const std::string shown = question.preview ? *question.preview : whole_input(input);
  const std::string_view head = utf8::head(shown, kMaxInputShown);
  say(indent(printable(head)));
  if (head.size() < shown.size()) {
    say("  [... " + std::to_string(shown.size() - head.size()) + " more bytes ...]");
  }
  ask_again();
}

void TerminalView::ask_again() {
  write_activity("Allow it? y: yes, n: no, s: yes, for the rest of this session > ");
  activity_open_ = false;  // the person's line end ends it
}

void TerminalView::say(std::string_view line) {
  if (activity_open_) write_activity("\n");
  write_activity(std::string(line) + "\n");
}

void TerminalView::write_activity(std::string_view text) {
  if (text.empty()) return;
  // Two streams on one screen: what is said does not go into the middle of the answer's line. The
  // answer itself is left as it is where it goes to a file.
  if (answer_open_ && place_.answer_is_terminal) {
    place_.answer("\n");
    answer_open_ = false;
  }
  place_.activity(text);
  activity_open_ = text.back() != '\n';
}

}  // namespace agentd::server
