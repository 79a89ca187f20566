#include "model/openai_chat_decoder.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "model/endpoint_failure.h"
#include "wire/parse.h"

namespace agentd::model {
namespace {

struct Finish {
  std::string_view wire;
  StopReason reason;
};

// OpenAI's own words, and those of servers that pass on what their models say.
constexpr std::array<Finish, 16> kFinishes = {{
    {"stop", StopReason::end_turn},
    {"end_turn", StopReason::end_turn},
    {"eos", StopReason::end_turn},
    {"stop_sequence", StopReason::stop_sequence},
    {"tool_calls", StopReason::tool_use},
    {"tool_use", StopReason::tool_use},
    {"function_call", StopReason::tool_use},
    {"length", StopReason::max_tokens},
    {"max_tokens", StopReason::max_tokens},
    {"model_length", StopReason::context_window_exceeded},                   // Mistral
    {"model_context_window_exceeded", StopReason::context_window_exceeded},  // Z.ai
    {"content_filter", StopReason::refusal},
    {"refusal", StopReason::refusal},
    {"safety", StopReason::refusal},
    {"sensitive", StopReason::refusal},  // Z.ai
    {"timeout", StopReason::timeout},
}};

StopReason stop_reason_of(std::string_view wire) {
  for (const Finish& finish : kFinishes) {
    if (finish.wire == wire) return finish.reason;
  }
  return StopReason::unknown;
}

// Words with which servers end a reply that broke on their side.
bool says_broken(std::string_view wire) {
  return wire == "error" || wire == "network_error" || wire == "insufficient_system_resource";
}

bool is_cut(StopReason reason) {
  switch (reason) {
    case StopReason::max_tokens:
    case StopReason::timeout:
    case StopReason::context_window_exceeded:
    case StopReason::refusal:
      return true;
    case StopReason::end_turn:
    case StopReason::tool_use:
    case StopReason::stop_sequence:
    case StopReason::pause_turn:
    case StopReason::unknown:
      return false;
  }
  return false;
}

// OpenRouter's other form of the same reasoning: read only where there is no text of it.
std::string text_of_details(const Json& details) {
  std::string text;
  if (!details.is_array()) return text;
  for (const Json& detail : details) {
    text += wire::text_member(detail, "text");
    text += wire::text_member(detail, "summary");
  }
  return text;
}

// Mistral's: {type: "thinking", thinking: [{type: "text", text}]}.
std::string text_of_thinking(const Json& part) {
  const Json& thinking = wire::member_or_null(part, "thinking");
  return thinking.is_string() ? thinking.get<std::string>() : text_of_details(thinking);
}

// The first candidate: the one whose index is 0, or not told.
const Json* first_choice(const Json& chunk) {
  const Json& choices = wire::member_or_null(chunk, "choices");
  if (!choices.is_array()) return nullptr;
  for (const Json& choice : choices) {
    if (choice.is_object() && wire::integer_member(choice, "index").value_or(0) == 0) {
      return &choice;
    }
  }
  return nullptr;
}

// Groq and Moonshot tell it in other places too.
const Json* usage_in(const Json& chunk) {
  if (const Json* told = wire::member(chunk, "usage")) return told;
  if (const Json* told = wire::member(wire::member_or_null(chunk, "x_groq"), "usage")) return told;
  const Json* choice = first_choice(chunk);
  return choice == nullptr ? nullptr : wire::member(*choice, "usage");
}

bool is_refusal_object(const Json& object) {
  if (wire::member(object, "error") != nullptr) return true;
  return wire::member(object, "choices") == nullptr && is_error_object(object);
}

}  // namespace

void OpenAiChatDecoder::take_word(std::string_view word) {
  if (!word.starts_with("[DONE]")) return;
  flush_text();
  if (stop_ || blocks_.any()) return end_positively();
  fail(failure_of(FailureClass::empty_response, "The endpoint answered with an empty reply."));
}

bool OpenAiChatDecoder::take_usual(std::string_view name, std::string_view data) {
  if (options_.parser_only || name == "error") return false;
  auto usual = usual_.read(data);
  if (!usual) return false;
  piece(std::move(*usual));
  return true;
}

void OpenAiChatDecoder::piece(UsualChunk::Piece piece) {
  ++progress_;
  switch (piece.member) {
    case ChunkMember::content:
      return text(std::move(piece.text));
    case ChunkMember::reasoning_content:
      return reasoning(ReasoningMember::reasoning_content, std::move(piece.text));
    case ChunkMember::reasoning:
      return reasoning(ReasoningMember::reasoning, std::move(piece.text));
  }
}

void OpenAiChatDecoder::take_object(std::string_view name, const Json& object,
                                    std::string_view data) {
  chunk(object);
  take_error(name, object);
  usual_.learn(data, object);
}

// An error may stand beside the last piece of a reply, or in it.
void OpenAiChatDecoder::take_error(std::string_view name, const Json& object) {
  const Json* told = first_choice(object);
  if (name == "error" || is_refusal_object(object)) {
    fail(failure_from_object(object, 0));
  } else if (told != nullptr && wire::member(*told, "error") != nullptr) {
    fail(failure_from_object(*told, 0));
  } else if (!broken_.empty()) {
    fail(failure_of(FailureClass::api_error, "The endpoint broke the reply off: " + broken_));
  }
}

void OpenAiChatDecoder::chunk(const Json& chunk) {
  const Json* told = first_choice(chunk);
  if (told != nullptr) begin_message(wire::text_member(chunk, "model"));
  usage(usage_in(chunk));
  if (told != nullptr) choice(*told);
}

void OpenAiChatDecoder::choice(const Json& choice) {
  ++progress_;
  // Some servers call it as in the answer that is no stream.
  const Json* found = wire::member(choice, "delta");
  if (found == nullptr) found = wire::member(choice, "message");
  if (found != nullptr && found->is_object()) delta(*found);
  finish_reason(choice);
}

void OpenAiChatDecoder::delta(const Json& delta) {
  reasoning(delta);
  content(wire::member_or_null(delta, "content"));
  refusal_ += wire::text_member(delta, "refusal");
  calls(delta);
}

void OpenAiChatDecoder::reasoning(const Json& delta) {
  ReasoningMember member = ReasoningMember::reasoning_content;
  std::string piece = wire::text_member(delta, "reasoning_content");
  if (piece.empty()) {
    piece = wire::text_member(delta, "reasoning");
    if (!piece.empty()) member = ReasoningMember::reasoning;
  }
  if (piece.empty()) {
    piece = text_of_details(wire::member_or_null(delta, "reasoning_details"));
    member = ReasoningMember::none;
  }
  reasoning(member, std::move(piece));
}

void OpenAiChatDecoder::reasoning(ReasoningMember member, std::string piece) {
  if (piece.empty()) return;
  if (!std::exchange(reasoning_told_, true)) options_.on_reasoning(member);
  thinking(std::move(piece));
}

void OpenAiChatDecoder::content(const Json& content) {
  if (content.is_string()) return text(content.get<std::string>());
  if (!content.is_array()) return;
  for (const Json& part : content) {
    if (wire::text_member(part, "type") == "thinking") {
      thinking(text_of_thinking(part));
    } else {
      text(wire::text_member(part, "text"));
    }
  }
}

void OpenAiChatDecoder::text(std::string piece) {
  if (!options_.think_tags) return blocks_.prose(DeltaKind::text, std::move(piece));
  think_tags_.feed(
      piece, [this](DeltaKind kind, std::string part) { blocks_.prose(kind, std::move(part)); });
}

void OpenAiChatDecoder::thinking(std::string piece) {
  blocks_.prose(DeltaKind::thinking, std::move(piece));
}

void OpenAiChatDecoder::calls(const Json& delta) {
  std::vector<CallPiece> pieces;
  if (const Json& entries = wire::member_or_null(delta, "tool_calls"); entries.is_array()) {
    for (const Json& entry : entries) {
      if (entry.is_object()) pieces.push_back(read_call_piece(entry));
    }
  }
  // The form before tool_calls: at most one, without index or id.
  if (const Json* call = wire::member(delta, "function_call")) {
    pieces.push_back(read_call_piece(Json{{"function", *call}}));
  }
  if (!pieces.empty()) blocks_.calls(std::move(pieces));
}

void OpenAiChatDecoder::usage(const Json* told) {
  if (told == nullptr || !told->is_object()) return;
  const auto prompt = wire::integer_member(*told, "prompt_tokens");
  auto cached =
      wire::integer_member(wire::member_or_null(*told, "prompt_tokens_details"), "cached_tokens");
  if (!cached) cached = wire::integer_member(*told, "prompt_cache_hit_tokens");  // DeepSeek
  Usage later;
  if (prompt) later.input_tokens = std::max<std::int64_t>(0, *prompt - cached.value_or(0));
  later.cache_read_input_tokens = cached;
  later.output_tokens = wire::integer_member(*told, "completion_tokens");
  if (later == Usage()) return;
  ++progress_;
  tell_usage(later);
}

// Told when the reply ends, as text, calls and usage may follow.
void OpenAiChatDecoder::finish_reason(const Json& choice) {
  std::string wire = wire::text_member(choice, "finish_reason");
  if (wire.empty()) return;
  if (says_broken(wire)) {
    broken_ = std::move(wire);
    return;
  }
  const StopReason reason = stop_reason_of(wire);
  if (stop_ && (is_cut(stop_->reason) || !is_cut(reason))) return;
  stop_ = StopTold{reason, std::move(wire), {}};
}

bool OpenAiChatDecoder::take_whole(const Json& body, std::string_view) {
  if (is_refusal_object(body)) {
    fail(failure_from_object(body, 0));
    return true;
  }
  if (first_choice(body) == nullptr) return false;
  chunk(body);
  take_error({}, body);
  if (!ended()) end_positively();
  return true;
}

void OpenAiChatDecoder::flush_text() {
  think_tags_.finish(
      [this](DeltaKind kind, std::string part) { blocks_.prose(kind, std::move(part)); });
}

void OpenAiChatDecoder::end_blocks() {
  flush_text();
  if (!refusal_.empty()) {
    if (!stop_) stop_.emplace();
    stop_->reason = StopReason::refusal;
    stop_->explanation = refusal_;
  }
  blocks_.end_all(stop_ && is_cut(stop_->reason));
}

}  // namespace agentd::model
