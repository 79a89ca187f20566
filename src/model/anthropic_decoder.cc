#include "model/anthropic_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "model/endpoint_failure.h"
#include "model/json_text.h"
#include "model/usual_delta.h"
#include "wire/parse.h"

namespace agentd::model {
namespace {

std::string text_of(const Json& object, std::string_view key) {
  return std::string(wire::string_member(object, key).value_or(""));
}

const Json& member_or_null(const Json& object, std::string_view key) {
  static const Json kNull;
  const Json* found = wire::member(object, key);
  return found == nullptr ? kNull : *found;
}

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

void AnthropicDecoder::feed(std::string_view bytes, ModelEvents& out) {
  if (ended_) return;
  out_ = &out;
  blocks_.emit_into(out);
  auto failure = body_.feed(bytes, [this](auto name, auto data) { take_event(name, data); });
  if (failure && !ended_) fail(std::move(*failure));
}

void AnthropicDecoder::finish(ModelEvents& out, std::optional<ModelFailure> failure) {
  if (ended_) return;
  out_ = &out;
  blocks_.emit_into(out);
  finishing_ = true;
  body_.finish([this](auto name, auto data) { take_event(name, data); });
  if (body_.kind() == ReplyBody::Kind::json) take_json_body();
  if (ended_) return;
  if (stop_) {
    end_positively();
  } else if (failure) {
    fail(std::move(*failure));
  } else {
    fail_at_end();
  }
}

void AnthropicDecoder::take_event(std::string_view name, std::string_view data) {
  if (ended_) return;
  const std::size_t at = data.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return;
  data.remove_prefix(at);
  if (data.front() != '{') {
    if (data.substr(0, 6) == "[DONE]" && stop_) end_positively();
    return;
  }
  if (!utf8::valid(data)) {
    const std::string repaired = utf8::repaired(data);
    take_object(name, repaired);
    return;
  }
  if (path_ == Path::usual) {
    if (auto delta = read_usual_delta(data)) {
      ++progress_;
      if (delta->kind == DeltaKind::input) {
        blocks_.input(delta->index, std::move(delta->text));
      } else {
        blocks_.text(delta->index, delta->kind, std::move(delta->text));
      }
      return;
    }
  }
  take_object(name, data);
}

void AnthropicDecoder::take_object(std::string_view name, std::string_view data) {
  const Result<Json> event = wire::parse(data);
  if (!event) {
    // Cut off in the middle of a line: that the reply is not whole is what there is to say.
    if (finishing_) return;
    fail(failure_of(FailureClass::malformed_event,
                    "The model's stream held an event that is not JSON: " + excerpt(data)));
    return;
  }
  const std::string type = text_of(*event, "type");
  if (type == "ping") return;
  if (name == "error" || is_error_object(*event)) {
    fail(failure_from_object(*event, 0));
    return;
  }
  ++progress_;
  if (type == "message_start") {
    message_start(*event);
  } else if (type == "content_block_start") {
    content_block_start(*event, data);
  } else if (type == "content_block_delta") {
    content_block_delta(*event);
  } else if (type == "content_block_stop") {
    blocks_.stop(index_of(*event));
  } else if (type == "message_delta") {
    message_delta(*event);
  } else if (type == "message_stop") {
    end_positively();
  }
}

void AnthropicDecoder::message_start(const Json& event) {
  const Json& message = member_or_null(event, "message");
  if (!message_began_) out_->push_back(MessageBegan{text_of(message, "model")});
  message_began_ = true;
  blocks_.abandon();
  usage(wire::member(message, "usage"));
}

void AnthropicDecoder::content_block_start(const Json& event, std::string_view data) {
  const Json& block = member_or_null(event, "content_block");
  if (!block.is_object()) return;
  // Bytes for keeping the block: as they came, but for what no JSON may hold.
  const auto repaired = wire::without_lone_surrogates(data);
  const std::string_view text = repaired ? std::string_view(*repaired) : data;
  blocks_.start(index_of(event), find_member(text, "content_block").value_or("{}"), block);
}

void AnthropicDecoder::content_block_delta(const Json& event) {
  const int index = index_of(event);
  const Json& delta = member_or_null(event, "delta");
  const std::string type = text_of(delta, "type");
  if (type == "text_delta") {
    blocks_.text(index, DeltaKind::text, text_of(delta, "text"));
  } else if (type == "thinking_delta") {
    blocks_.text(index, DeltaKind::thinking, text_of(delta, "thinking"));
  } else if (type == "input_json_delta") {
    blocks_.input(index, text_of(delta, "partial_json"));
  } else if (type == "signature_delta") {
    blocks_.signature(index, text_of(delta, "signature"));
  } else {
    blocks_.other_delta(index, delta);
  }
}

void AnthropicDecoder::message_delta(const Json& event) {
  usage(wire::member(event, "usage"));
  stop_reason(member_or_null(event, "delta"));
}

void AnthropicDecoder::usage(const Json* told) {
  if (told == nullptr) return;
  Usage later;
  later.input_tokens = wire::integer_member(*told, "input_tokens");
  later.cache_creation_input_tokens = wire::integer_member(*told, "cache_creation_input_tokens");
  later.cache_read_input_tokens = wire::integer_member(*told, "cache_read_input_tokens");
  later.output_tokens = wire::integer_member(*told, "output_tokens");
  if (later == Usage()) return;
  usage_.overwrite(later);
  out_->push_back(UsageTold{usage_});
}

// Told when the reply ends: after a stop reason some endpoints still send pieces of blocks.
void AnthropicDecoder::stop_reason(const Json& message) {
  std::string wire = text_of(message, "stop_reason");
  if (wire.empty()) return;
  StopTold told;
  told.reason = stop_reason_of(wire);
  told.wire = std::move(wire);
  told.explanation = text_of(member_or_null(message, "stop_details"), "explanation");
  stop_ = std::move(told);
}

void AnthropicDecoder::take_json_body() {
  const std::string text = utf8::repaired(body_.held());
  const Result<Json> body = wire::parse(text);
  if (!body || !body->is_object()) return;
  if (is_error_object(*body)) {
    fail(failure_from_object(*body, 0));
  } else if (const Json* content = wire::member(*body, "content");
             content != nullptr && content->is_array()) {
    take_message(*body, wire::without_lone_surrogates(text).value_or(text));
  } else {
    fail(failure_of(FailureClass::empty_response,
                    "The endpoint answered with no message: " + excerpt(text)));
  }
}

void AnthropicDecoder::take_message(const Json& message, std::string_view raw) {
  out_->push_back(MessageBegan{text_of(message, "model")});
  message_began_ = true;
  ++progress_;
  const Json& content = member_or_null(message, "content");
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

void AnthropicDecoder::end_positively() {
  blocks_.end_all();
  if (stop_) out_->push_back(*stop_);
  out_->push_back(MessageEnded{});
  ended_ = true;
}

// A failure after the whole reply changes nothing about the reply.
void AnthropicDecoder::fail(ModelFailure failure) {
  if (stop_) {
    end_positively();
    return;
  }
  out_->push_back(Failed{std::move(failure)});
  ended_ = true;
}

void AnthropicDecoder::fail_at_end() {
  if (message_began_ || blocks_.any()) {
    fail(failure_of(FailureClass::stream_truncated,
                    "The model's stream ended in the middle of the reply."));
  } else {
    fail(body_.without_reply());
  }
}

}  // namespace agentd::model
