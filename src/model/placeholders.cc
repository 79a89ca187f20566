#include "model/placeholders.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "model/wire_names.h"

namespace agentd::model {
namespace {

constexpr std::string_view kDirectoryLine = "Working directory: ";

// Text that the engine added for the model, in a tag of its own: not the user's words.
bool added_by_engine(std::string_view text) {
  text = ascii::trimmed(text);
  return text.starts_with("<") && text.ends_with(">") && text.find("</") != std::string_view::npos;
}

bool begins_with_summary(const std::vector<MessagePtr>& messages) {
  if (messages.empty() || messages.front()->blocks.empty()) return false;
  const auto* text = std::get_if<TextBlock>(&messages.front()->blocks.front());
  return text != nullptr && text->text.starts_with("<context kind=\"summary\"");
}

std::string working_directory(const std::vector<MessagePtr>& messages) {
  for (const MessagePtr& message : messages) {
    for (const Block& block : message->blocks) {
      const auto* text = std::get_if<TextBlock>(&block);
      if (text == nullptr || !added_by_engine(text->text)) continue;
      const std::size_t at = text->text.find(kDirectoryLine);
      if (at == std::string::npos) continue;
      const std::string_view rest = std::string_view(text->text).substr(at + kDirectoryLine.size());
      return std::string(ascii::trimmed(rest.substr(0, rest.find('\n'))));
    }
  }
  return {};
}

ScriptedResult result_of(const ToolResultBlock& block) {
  ScriptedResult result;
  result.is_error = block.is_error;
  for (const ToolContent& part : block.content) {
    if (const auto* text = std::get_if<TextBlock>(&part)) result.text += text->text;
  }
  return result;
}

// Takes in one message of the user's: new words begin a new situation.
void read_user_message(const Message& message, Situation& situation) {
  std::string words;
  for (const Block& block : message.blocks) {
    if (const auto* result = std::get_if<ToolResultBlock>(&block)) {
      situation.results.push_back(result_of(*result));
    } else if (const auto* text = std::get_if<TextBlock>(&block)) {
      if (ascii::blank(text->text) || added_by_engine(text->text)) continue;
      if (!words.empty()) words += "\n";
      words += text->text;
    }
  }
  if (words.empty()) return;
  situation.prompt = std::move(words);
  situation.results.clear();
}

std::string last_component(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

bool path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/' || c == '~' || c == '+' || c == '@';
}

std::string word_ending(std::string_view prompt, std::string_view end) {
  const std::size_t at = ascii::find(prompt, end);
  if (at == std::string_view::npos) return std::string(end);
  std::size_t begin = at;
  while (begin > 0 && path_character(prompt[begin - 1])) --begin;
  return std::string(prompt.substr(begin, at + end.size() - begin));
}

// The fewest lines from the top that stand only once in the file and are not blank.
std::string unique_head(const std::vector<std::string>& lines) {
  std::string whole;
  for (const std::string& line : lines) whole += line + "\n";
  std::string head;
  for (const std::string& line : lines) {
    if (!head.empty() || &line != &lines.front()) head += "\n";
    head += line;
    if (!ascii::blank(head) && whole.find(head, 1) == std::string::npos) return head;
  }
  return head;
}

std::string result_text(const Situation& situation, std::string_view number) {
  std::size_t index = situation.results.size();
  if (!number.empty()) {
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc() || end != number.data() + number.size()) return {};
  }
  if (index == 0 || index > situation.results.size()) return {};
  return situation.results[index - 1].text;
}

// The value of what stands between `${` and `}`; nullopt if there is no such placeholder.
std::optional<std::string> value_of(std::string_view name, const Situation& situation) {
  if (name == "prompt") return situation.prompt;
  if (name == "quoted") return quoted_in(situation.prompt).value_or("");
  if (name == "directory") return last_component(situation.directory);
  if (name == "title") {
    if (auto quoted = quoted_in(situation.prompt)) return quoted;
    const std::string directory = last_component(situation.directory);
    return directory.empty() ? "README" : directory;
  }
  if (name == "result") return result_text(situation, "");
  if (name.starts_with("result ")) return result_text(situation, name.substr(7));
  if (name.starts_with("word ")) return word_ending(situation.prompt, name.substr(5));
  const auto lines = shown_lines(result_text(situation, ""));
  if (name == "first line") return lines.empty() ? std::string() : lines.front();
  if (name == "head") return unique_head(lines);
  if (name == "head rest") {
    const std::string head = unique_head(lines);
    return head.substr(std::min(head.find('\n'), head.size()));
  }
  return std::nullopt;
}

// Calls `plain` with text and `placeholder` with names, in order. False: a `${` without its `}`.
template <class Plain, class Placeholder>
bool walk(std::string_view text, Plain plain, Placeholder placeholder) {
  while (true) {
    const std::size_t open = text.find("${");
    plain(text.substr(0, open));
    if (open == std::string_view::npos) return true;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return false;
    placeholder(text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 1);
  }
}

struct Quotes {
  std::string_view open;
  std::string_view close;
};

constexpr std::array<Quotes, 8> kQuotes = {{
    {"\"", "\""},
    {"`", "`"},
    {"\u201C", "\u201D"},
    {"\u2018", "\u2019"},
    {"\u300C", "\u300D"},
    {"\u300E", "\u300F"},
    {"\u300A", "\u300B"},
    {"\u00AB", "\u00BB"},
}};

// A title, not a file: and without the mark of a Markdown title.
std::string as_title(std::string_view quoted) {
  quoted = ascii::trimmed(quoted);
  const bool names_file = quoted.find(' ') == std::string_view::npos && quoted.size() > 3 &&
                          ascii::find(quoted, ".md") == quoted.size() - 3;
  if (names_file) return {};
  while (quoted.starts_with("#")) quoted.remove_prefix(1);
  return std::string(ascii::trimmed(quoted.substr(0, quoted.find('\n'))));
}

}  // namespace

Situation situation_of(const ModelRequest& request) {
  Situation situation;
  situation.retry = request.fresh_connection;
  situation.summed_up = begins_with_summary(request.messages);
  situation.directory = working_directory(request.messages);
  situation.output_limit = request.max_output_tokens;
  for (const MessagePtr& message : request.messages) {
    for (const Block& block : message->blocks) {
      situation.images = situation.images || has_image(block);
      situation.thinking = situation.thinking || is_thinking(block);
    }
    if (message->role == Role::user) {
      read_user_message(*message, situation);
      continue;
    }
    for (const Block& block : message->blocks) {
      if (std::holds_alternative<ToolUseBlock>(block)) ++situation.calls_before;
    }
  }
  return situation;
}

std::optional<std::string> quoted_in(std::string_view prompt) {
  std::size_t at = 0;
  while (at < prompt.size()) {
    const std::string_view rest = prompt.substr(at);
    const auto quotes = std::find_if(kQuotes.begin(), kQuotes.end(),
                                     [&](const Quotes& one) { return rest.starts_with(one.open); });
    const std::size_t end = quotes == kQuotes.end() ? std::string_view::npos
                                                    : rest.find(quotes->close, quotes->open.size());
    if (end == std::string_view::npos) {
      ++at;
      continue;
    }
    std::string title = as_title(rest.substr(quotes->open.size(), end - quotes->open.size()));
    if (!title.empty()) return title;
    at += end + quotes->close.size();
  }
  return std::nullopt;
}

std::vector<std::string> shown_lines(std::string_view result) {
  std::vector<std::string> lines;
  while (!result.empty()) {
    const std::size_t end = result.find('\n');
    const std::string_view line = result.substr(0, end);
    result = end == std::string_view::npos ? std::string_view() : result.substr(end + 1);
    const std::size_t digits = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t tab = std::min(line.find_first_not_of("0123456789", digits), line.size());
    if (tab == digits || tab >= line.size() || line[tab] != '\t') break;
    lines.emplace_back(line.substr(tab + 1));
  }
  return lines;
}

Result<void> check_placeholders(std::string_view text) {
  std::string unknown;
  const bool closed = walk(
      text, [](std::string_view) {},
      [&](std::string_view name) {
        if (!value_of(name, {})) unknown = name;
      });
  if (!closed) return make_error(Code::invalid_input, "a `${` without its `}`");
  if (!unknown.empty()) {
    return make_error(Code::invalid_input, "unknown placeholder ${" + unknown + "}");
  }
  return {};
}

std::string expanded(std::string_view text, const Situation& situation) {
  std::string out;
  (void)walk(
      text, [&](std::string_view plain) { out += plain; },
      [&](std::string_view name) { out += value_of(name, situation).value_or(""); });
  return out;
}

}  // namespace agentd::model
