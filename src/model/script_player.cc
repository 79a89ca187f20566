#include "model/script_player.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

using Kind = Script::Condition::Kind;

// Inputs come in pieces of about this many bytes, as from a real model.
constexpr std::size_t kInputPiece = 48;

bool holds(const Script::Condition& condition, const Situation& situation) {
  const ScriptedResult* last = situation.results.empty() ? nullptr : &situation.results.back();
  const std::vector<std::string> lines =
      last == nullptr ? std::vector<std::string>() : shown_lines(last->text);
  const auto in_prompt = [&](const std::string& text) {
    return ascii::contains(situation.prompt, text);
  };
  const auto& texts = condition.texts;
  switch (condition.kind) {
    case Kind::prompt_has:
      return std::any_of(texts.begin(), texts.end(), in_prompt);
    case Kind::prompt_lacks:
      return std::none_of(texts.begin(), texts.end(), in_prompt);
    case Kind::prompt_quotes:
      return quoted_in(situation.prompt).has_value();
    case Kind::prompt_quotes_nothing:
      return !quoted_in(situation.prompt);
    case Kind::results:
      return situation.results.size() == condition.count;
    case Kind::result_ok:
      return last != nullptr && !last->is_error;
    case Kind::result_failed:
      return last != nullptr && last->is_error;
    case Kind::result_has_lines:
      return !lines.empty();
    case Kind::result_has_no_lines:
      return last != nullptr && lines.empty();
    case Kind::first_line_starts:
      return !lines.empty() && lines.front().starts_with(expanded(texts.front(), situation));
    case Kind::first_line_is:
      return !lines.empty() && lines.front() == expanded(texts.front(), situation);
    case Kind::first_try:
      return !situation.retry;
    case Kind::retry:
      return situation.retry;
    case Kind::summed_up:
      return situation.summed_up;
    case Kind::images:
      return situation.images;
    case Kind::no_images:
      return !situation.images;
    case Kind::thinking:
      return situation.thinking;
    case Kind::no_thinking:
      return !situation.thinking;
    case Kind::output_limit:
      return situation.output_limit <= static_cast<std::int64_t>(condition.count);
  }
  return false;
}

const Script::Reply* choose(const Script& script, const Situation& situation) {
  for (const Script::Reply& reply : script.replies) {
    const bool fits = std::all_of(
        reply.conditions.begin(), reply.conditions.end(),
        [&](const Script::Condition& condition) { return holds(condition, situation); });
    if (fits) return &reply;
  }
  return nullptr;
}

// Words with the white space behind them.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" \n");
    end = end == std::string_view::npos ? text.size() : text.find_first_not_of(" \n", end);
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(words.back().size());
  }
  return words;
}

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    std::string_view piece = utf8::head(text, kInputPiece);
    pieces.emplace_back(piece);
    text.remove_prefix(piece.size());
  }
  return pieces;
}

Json expanded_strings(const Json& value, const Situation& situation) {
  if (value.is_string()) return expanded(value.get_ref<const std::string&>(), situation);
  if (!value.is_structured()) return value;
  Json copy = value;
  for (Json& element : copy) element = expanded_strings(element, situation);
  return copy;
}

class Steps {
 public:
  explicit Steps(std::chrono::milliseconds delay) : delay_(delay) {}

  // The first step waits for nothing but its turn on the clock.
  void add(ModelEvents events) {
    steps_.push_back({steps_.empty() ? std::chrono::milliseconds(0) : delay_, std::move(events)});
  }
  void end_block(int block) { steps_.back().events.push_back(BlockEnded{block, {}, {}}); }
  std::vector<ScriptStep> take() { return std::move(steps_); }

 private:
  std::chrono::milliseconds delay_;
  std::vector<ScriptStep> steps_;
};

void add_words(Steps& steps, const Script::Words& words, int block, const Situation& situation) {
  const BlockKind kind = words.kind == DeltaKind::text ? BlockKind::text : BlockKind::thinking;
  ModelEvents events{BlockBegan{block, kind, {}, {}}};
  for (std::string& word : words_of(expanded(words.text, situation))) {
    events.push_back(Delta{block, words.kind, std::move(word)});
    steps.add(std::exchange(events, {}));
  }
  if (!events.empty()) steps.add(std::move(events));
}

void add_call(Steps& steps, const Script::Call& call, int block, const std::string& id,
              const Situation& situation) {
  std::string input;
  wire::append_json(input, expanded_strings(call.input, situation));
  steps.add({BlockBegan{block, BlockKind::tool_use, id, call.name}});
  for (std::string& piece : pieces_of(input)) {
    steps.add({Delta{block, DeltaKind::input, std::move(piece)}});
  }
}

StopTold stop_of(const Script::Reply& reply) {
  static constexpr StopReason kReasons[] = {StopReason::end_turn,
                                            StopReason::tool_use,
                                            StopReason::max_tokens,
                                            StopReason::stop_sequence,
                                            StopReason::pause_turn,
                                            StopReason::refusal,
                                            StopReason::context_window_exceeded,
                                            StopReason::timeout};
  const bool calls = std::any_of(reply.parts.begin(), reply.parts.end(), [](const auto& part) {
    return std::holds_alternative<Script::Call>(part);
  });
  StopTold told;
  told.wire = !reply.stop.empty() ? reply.stop : calls ? "tool_use" : "end_turn";
  for (const StopReason reason : kReasons) {
    if (to_string(reason) == told.wire) told.reason = reason;
  }
  return told;
}

Failed failed(FailureClass failure_class, std::string message) {
  ModelFailure failure;
  failure.failure_class = failure_class;
  failure.message = std::move(message);
  return Failed{std::move(failure)};
}

std::vector<ScriptStep> play(const Script::Reply& reply, const ModelRequest& request,
                             const Situation& situation) {
  Steps steps(reply.delay);
  if (reply.failure) {
    steps.add({Failed{*reply.failure}});
    return steps.take();
  }
  steps.add({MessageBegan{request.model}});
  int block = 0;
  std::size_t calls = situation.calls_before;
  for (const Script::Part& part : reply.parts) {
    if (const auto* words = std::get_if<Script::Words>(&part)) {
      add_words(steps, *words, block, situation);
    } else {
      const std::string id = "call_" + std::to_string(++calls);
      add_call(steps, std::get<Script::Call>(part), block, id, situation);
    }
    // A cut leaves the last block open.
    if (!reply.cut || &part != &reply.parts.back()) steps.end_block(block);
    ++block;
  }
  ModelEvents end;
  if (reply.usage) end.push_back(UsageTold{*reply.usage});
  if (reply.cut) {
    end.push_back(failed(FailureClass::stream_truncated, "The script cuts the reply here."));
  } else {
    end.push_back(stop_of(reply));
    end.push_back(MessageEnded{});
  }
  steps.add(std::move(end));
  return steps.take();
}

}  // namespace

std::vector<ScriptStep> steps_for(const Script& script, const ModelRequest& request) {
  const Situation situation = situation_of(request);
  if (const Script::Reply* reply = choose(script, situation)) {
    return play(*reply, request, situation);
  }
  return {{std::chrono::milliseconds(0),
           {failed(FailureClass::invalid_request,
                   "No reply of the script fits: the prompt is \"" +
                       std::string(utf8::head(situation.prompt, 200)) + "\", with " +
                       std::to_string(situation.results.size()) + " tool results since.")}}};
}

}  // namespace agentd::model
