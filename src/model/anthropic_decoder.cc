#include "model/anthropic_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/endpoint_failure.h"
#include "model/json_text.h"
#include "model/usual_delta.h"
#include "wire/parse.h"

namespace agentd::model {
namespace {

StopReason stop_reason_of(std::string_view wire) {
  struct Row {
    std::string_view wire;
    StopReason reason;
  };
  static constexpr std::array<Row, 9> kRows = {{
      {"end_turn", StopReason::end_turn},
      {"tool_use", StopReason::tool_use},
      {"max_tokens", StopReason::max_tokens},
      {"stop_sequence", StopReason::stop_sequence},
      {"pause_turn", StopReason::pause_turn},
      {"refusal", StopReason::refusal},
      {"model_context_window_exceeded", StopReason::context_window_exceeded},
      {"timeout", StopReason::timeout},
      {"unknown", StopReason::unknown},
  }};
  for (const Row& row : kRows) {
    if (row.wire == wire) return row.reason;
  }
  return StopReason::unknown;
}

}  // namespace

void AnthropicDecoder::take_word(std::string_view word) {
  if (word.starts_with("[DONE]") && stop_) end_positively();
}

bool AnthropicDecoder::take_usual(std::string_view, std::string_view data) {
  if (path_ != Path::usual) return false;
  auto delta = read_usual_delta(data);
  if (!delta) return false;
  ++progress_;
  if (delta->kind == DeltaKind::input) {
    blocks_.input(delta->index, std::move(delta->text));
  } else {
    blocks_.text(delta->index, delta->kind, std::move(delta->text));
  }
  return true;
}

void AnthropicDecoder::take_object(std::string_view name, const Json& event,
                                   std::string_view data) {
  const std::string type = wire::text_member(event, "type");
  if (type == "ping") return;
  if (name == "error" || is_error_object(event)) {
    fail(failure_from_object(event, 0));
    return;
  }
  ++progress_;
  if (type == "message_start") {
    message_start(event);
  } else if (type == "content_block_start") {
    content_block_start(event, data);
  } else if (type == "content_block_delta") {
    content_block_delta(event);
  } else if (type == "content_block_stop") {
    blocks_.stop(index_of(event));
  } else if (type == "message_delta") {
    message_delta(event);
  } else if (type == "message_stop") {
    end_positively();
  }
}

void AnthropicDecoder::message_start(const Json& event) {
  const Json& message = wire::member_or_null(event, "message");
  begin_message(wire::text_member(message, "model"));
  blocks_.abandon();
  usage(wire::member(message, "usage"));
}

void AnthropicDecoder::content_block_start(const Json& event, std::string_view data) {
  const Json& block = wire::member_or_null(event, "content_block");
  if (!block.is_object()) return;
  // Bytes for keeping the block: as they came, but for what no JSON may hold.
  const auto repaired = wire::without_lone_surrogates(data);
  const std::string_view text = repaired ? std::string_view(*repaired) : data;
  blocks_.start(index_of(event), find_member(text, "content_block").value_or("{}"), block);
}

void AnthropicDecoder::content_block_delta(const Json& event) {
  const int index = index_of(event);
  const Json& delta = wire::member_or_null(event, "delta");
  const std::string type = wire::text_member(delta, "type");
  if (type == "text_delta") {
    blocks_.text(index, DeltaKind::text, wire::text_member(delta, "text"));
  } else if (type == "thinking_delta") {
    blocks_.text(index, DeltaKind::thinking, wire::text_member(delta, "thinking"));
  } else if (type == "input_json_delta") {
    blocks_.input(index, wire::text_member(delta, "partial_json"));
  } else if (type == "signature_delta") {
    blocks_.signature(index, wire::text_member(delta, "signature"));
  } else {
    blocks_.other_delta(index, delta);
  }
}

void AnthropicDecoder::message_delta(const Json& event) {
  usage(wire::member(event, "usage"));
  stop_reason(wire::member_or_null(event, "delta"));
}

void AnthropicDecoder::usage(const Json* told) {
  if (told == nullptr) return;
  Usage later;
  later.input_tokens = wire::integer_member(*told, "input_tokens");
  later.cache_creation_input_tokens = wire::integer_member(*told, "cache_creation_input_tokens");
  later.cache_read_input_tokens = wire::integer_member(*told, "cache_read_input_tokens");
  later.output_tokens = wire::integer_member(*told, "output_tokens");
  if (later != Usage()) tell_usage(later);
}

// After a stop reason some endpoints still send pieces of blocks.
void AnthropicDecoder::stop_reason(const Json& message) {
  std::string wire = wire::text_member(message, "stop_reason");
  if (wire.empty()) return;
  StopTold told;
  told.reason = stop_reason_of(wire);
  told.wire = std::move(wire);
  told.explanation =
      wire::text_member(wire::member_or_null(message, "stop_details"), "explanation");
  stop_ = std::move(told);
}

bool AnthropicDecoder::take_whole(const Json& body, std::string_view text) {
  if (is_error_object(body)) {
    fail(failure_from_object(body, 0));
    return true;
  }
  const Json* content = wire::member(body, "content");
  if (content == nullptr || !content->is_array()) return false;
  take_message(body, wire::without_lone_surrogates(text).value_or(std::string(text)));
  return true;
}

void AnthropicDecoder::take_message(const Json& message, std::string_view raw) {
  begin_message(wire::text_member(message, "model"));
  ++progress_;
  const Json& content = wire::member_or_null(message, "content");
  const auto raw_blocks = elements(find_member(raw, "content").value_or("[]"));
  for (std::size_t i = 0; i < std::min(content.size(), raw_blocks.size()); ++i) {
    if (!content[i].is_object()) continue;
    const int index = static_cast<int>(i);
    blocks_.start(index, raw_blocks[i], content[i]);
    blocks_.stop(index);
  }
  usage(wire::member(message, "usage"));
  stop_reason(message);
  end_positively();
}

int AnthropicDecoder::index_of(const Json& event) const {
  const auto index = wire::integer_member(event, "index");
  return index ? static_cast<int>(*index) : blocks_.last_index();
}

}  // namespace agentd::model
