#include "model/script.h"

#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "model/endpoint_failure.h"
#include "model/placeholders.h"
#include "wire/parse.h"

namespace agentd::model {
namespace {

using Condition = Script::Condition;
using Reply = Script::Reply;

// No reply waits longer than this between two pieces.
constexpr int kLongestDelay = 60'000;

// The first word of `text`, taken off it.
std::string_view take_word(std::string_view& text) {
  text = ascii::trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = ascii::trimmed(text.substr(word.size()));
  return word;
}

bool take(std::string_view& text, std::string_view words) {
  if (!text.starts_with(words)) return false;
  const std::string_view rest = text.substr(words.size());
  if (!rest.empty() && rest.front() != ' ') return false;
  text = ascii::trimmed(rest);
  return true;
}

std::optional<int> whole_number(std::string_view text, int largest) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < 0 || number > largest) return std::nullopt;
  return number;
}

Error bad(std::string message) {
  return make_error(Code::invalid_input, std::move(message));
}

std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t bar = text.find('|');
    if (const std::string_view one = ascii::trimmed(text.substr(0, bar)); !one.empty()) {
      found.emplace_back(one);
    }
    text = bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1);
  }
  return found;
}

Result<Condition> with_texts(Condition::Kind kind, std::string_view rest) {
  Condition condition{kind, alternatives(rest), 0};
  if (condition.texts.empty()) return bad("say what the prompt is to hold");
  return condition;
}

// A text in double quotes, so that its spaces can be seen.
Result<Condition> with_quoted(Condition::Kind kind, std::string_view rest) {
  const auto text = wire::parse(rest);
  if (!text || !text->is_string()) return bad("write the text in double quotes");
  Condition condition{kind, {text->get<std::string>()}, 0};
  if (auto checked = check_placeholders(condition.texts.front()); !checked) return checked.error();
  return condition;
}

Result<Condition> parse_condition(std::string_view rest) {
  using Kind = Condition::Kind;
  if (take(rest, "prompt has")) return with_texts(Kind::prompt_has, rest);
  if (take(rest, "prompt lacks")) return with_texts(Kind::prompt_lacks, rest);
  if (take(rest, "first line starts")) return with_quoted(Kind::first_line_starts, rest);
  if (take(rest, "first line is")) return with_quoted(Kind::first_line_is, rest);
  if (take(rest, "results")) {
    const auto count = whole_number(rest, 1'000'000);
    if (!count) return bad("`when results` needs a number");
    return Condition{Kind::results, {}, static_cast<std::size_t>(*count)};
  }
  if (take(rest, "output limit")) {
    const auto tokens = whole_number(rest, 1'000'000'000);
    if (!tokens) return bad("`when output limit` needs a number");
    return Condition{Kind::output_limit, {}, static_cast<std::size_t>(*tokens)};
  }
  struct Row {
    std::string_view words;
    Kind kind;
  };
  static constexpr Row kRows[] = {
      {"prompt quotes", Kind::prompt_quotes},
      {"prompt quotes nothing", Kind::prompt_quotes_nothing},
      {"result ok", Kind::result_ok},
      {"result failed", Kind::result_failed},
      {"result has lines", Kind::result_has_lines},
      {"result has no lines", Kind::result_has_no_lines},
      {"first try", Kind::first_try},
      {"retry", Kind::retry},
      {"summed up", Kind::summed_up},
      {"images", Kind::images},
      {"no images", Kind::no_images},
      {"thinking", Kind::thinking},
      {"no thinking", Kind::no_thinking},
  };
  for (const Row& row : kRows) {
    if (rest == row.words) return Condition{row.kind, {}, 0};
  }
  return bad("unknown condition \"" + std::string(rest) + "\"");
}

Result<void> add_words(Reply& reply, DeltaKind kind, std::string_view text) {
  if (auto checked = check_placeholders(text); !checked) return checked;
  if (!reply.parts.empty()) {
    auto* last = std::get_if<Script::Words>(&reply.parts.back());
    if (last != nullptr && last->kind == kind) {
      last->text.append("\n").append(text);
      return {};
    }
  }
  reply.parts.push_back(Script::Words{kind, std::string(text)});
  return {};
}

Result<void> check_strings(const Json& value) {
  if (value.is_string()) return check_placeholders(value.get_ref<const std::string&>());
  if (!value.is_structured()) return {};
  for (const Json& element : value) {
    if (auto checked = check_strings(element); !checked) return checked;
  }
  return {};
}

Result<void> add_call(Reply& reply, std::string_view rest) {
  const std::string name(take_word(rest));
  if (name.empty()) return bad("`call` needs a tool's name and its input");
  auto input = wire::parse(rest.empty() ? "{}" : rest);
  if (!input) return bad("the input of " + name + " is " + input.error().message);
  if (!input->is_object()) return bad("the input of " + name + " is not a JSON object");
  if (auto checked = check_strings(*input); !checked) return checked;
  reply.parts.push_back(Script::Call{name, std::move(*input)});
  return {};
}

Result<void> set_failure(Reply& reply, std::string_view rest) {
  const auto status = whole_number(take_word(rest), 599);
  if (!status || *status < 400) return bad("`fail` needs an HTTP status from 400 to 599");
  reply.failure = failure_from_text(*status, std::string(rest));
  return {};
}

Result<void> set_retry_after(Reply& reply, std::string_view rest) {
  const auto seconds = whole_number(rest, 1'000'000);
  if (!seconds) return bad("`retry-after` needs seconds");
  if (!reply.failure) return bad("`retry-after` belongs behind `fail`");
  reply.failure->retry_after = std::chrono::seconds(*seconds);
  return {};
}

Result<void> set_delay(Reply& reply, std::string_view rest) {
  const auto delay = whole_number(rest, kLongestDelay);
  if (!delay) return bad("`delay` needs milliseconds, at most 60000");
  reply.delay = std::chrono::milliseconds(*delay);
  return {};
}

Result<void> set_usage(Reply& reply, std::string_view rest) {
  const auto input = whole_number(take_word(rest), 1'000'000'000);
  const auto output = whole_number(rest, 1'000'000'000);
  if (!input || !output) return bad("`usage` needs two numbers: input and output tokens");
  Usage usage;
  usage.input_tokens = *input;
  usage.output_tokens = *output;
  reply.usage = usage;
  return {};
}

Result<void> parse_line(std::string_view line, int number, Script& script) {
  std::string_view rest = line;
  const std::string_view keyword = take_word(rest);
  if (keyword == "reply") {
    if (!rest.empty()) return bad("nothing may stand behind `reply`");
    script.replies.emplace_back();
    script.replies.back().line = number;
    return {};
  }
  if (script.replies.empty()) return bad("a script begins with a line `reply`");
  Reply& reply = script.replies.back();
  if (keyword == "when") {
    auto condition = parse_condition(rest);
    if (!condition) return condition.error();
    reply.conditions.push_back(std::move(*condition));
    return {};
  }
  if (keyword == "text") return add_words(reply, DeltaKind::text, rest);
  if (keyword == "thinking") return add_words(reply, DeltaKind::thinking, rest);
  if (keyword == "call") return add_call(reply, rest);
  if (keyword == "delay") return set_delay(reply, rest);
  if (keyword == "usage") return set_usage(reply, rest);
  if (keyword == "fail") return set_failure(reply, rest);
  if (keyword == "retry-after") return set_retry_after(reply, rest);
  if (keyword == "stop") {
    if (rest.empty()) return bad("`stop` needs a stop reason");
    reply.stop = rest;
    return {};
  }
  if (keyword == "cut") {
    reply.cut = true;
    return {};
  }
  return bad("unknown word \"" + std::string(keyword) + "\"");
}

}  // namespace

Result<Script> parse_script(std::string_view text) {
  Script script;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = ascii::trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    if (auto parsed = parse_line(line, number, script); !parsed) {
      Error error = parsed.error();
      error.message = "line " + std::to_string(number) + ": " + error.message;
      return error;
    }
  }
  if (script.replies.empty()) return bad("line 1: the script holds no reply");
  return script;
}

}  // namespace agentd::model
