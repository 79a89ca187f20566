#include "support/anthropic_replies.h"

#include "base/utf8.h"

namespace agentd::test {

namespace {

std::string event_text(std::string_view type, const Json& data) {
  return "event: " + std::string(type) + "\ndata: " + data.dump() + "\n\n";
}

Json typed(std::string_view type) {
  return Json{{"type", type}};
}

}  // namespace

AnthropicReply::AnthropicReply() {
  Json message = {{"id", "msg_1"},
                  {"type", "message"},
                  {"role", "assistant"},
                  {"model", "test-model"},
                  {"content", Json::array()},
                  {"stop_reason", nullptr},
                  {"usage", {{"input_tokens", 10}, {"output_tokens", 1}}}};
  Json start = typed("message_start");
  start["message"] = std::move(message);
  event("message_start", start);
}

AnthropicReply& AnthropicReply::event(std::string_view type, const Json& data) {
  body_ += event_text(type, data);
  return *this;
}

void AnthropicReply::delta(int index, const Json& delta) {
  // In the order in which the API writes its keys: the everyday way through a decoder.
  body_ += "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":" +
           std::to_string(index) + ",\"delta\":{\"type\":" + delta.at("type").dump();
  for (const auto& [key, value] : delta.items()) {
    if (key != "type") body_ += "," + Json(key).dump() + ":" + value.dump();
  }
  body_ += "}}\n\n";
}

AnthropicReply& AnthropicReply::text(std::string_view text) {
  const int index = next_index_++;
  event("content_block_start", {{"type", "content_block_start"},
                                {"index", index},
                                {"content_block", {{"type", "text"}, {"text", ""}}}});
  while (!text.empty()) {
    std::size_t end = text.find(' ');
    end = end == std::string_view::npos ? text.size() : end + 1;
    delta(index, {{"type", "text_delta"}, {"text", text.substr(0, end)}});
    text.remove_prefix(end);
  }
  return event("content_block_stop", {{"type", "content_block_stop"}, {"index", index}});
}

AnthropicReply& AnthropicReply::thinking(std::string_view text, std::string_view signature) {
  const int index = next_index_++;
  event("content_block_start",
        {{"type", "content_block_start"},
         {"index", index},
         {"content_block", {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}}});
  if (!text.empty()) delta(index, {{"type", "thinking_delta"}, {"thinking", text}});
  delta(index, {{"type", "signature_delta"}, {"signature", signature}});
  return event("content_block_stop", {{"type", "content_block_stop"}, {"index", index}});
}

AnthropicReply& AnthropicReply::tool_use(std::string_view id, std::string_view name,
                                         const Json& input, std::size_t piece) {
  return tool_use_text(id, name, input.dump(), piece);
}

AnthropicReply& AnthropicReply::tool_use_text(std::string_view id, std::string_view name,
                                              std::string_view input_text, std::size_t piece) {
  const int index = next_index_++;
  has_call_ = true;
  event("content_block_start",
        {{"type", "content_block_start"},
         {"index", index},
         {"content_block",
          {{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", Json::object()}}}});
  while (!input_text.empty()) {
    std::string_view part = utf8::head(input_text, piece);
    if (part.empty()) part = utf8::head(input_text, 4);  // a character longer than the piece
    delta(index, {{"type", "input_json_delta"}, {"partial_json", part}});
    input_text.remove_prefix(part.size());
  }
  return event("content_block_stop", {{"type", "content_block_stop"}, {"index", index}});
}

AnthropicReply& AnthropicReply::ping() {
  return event("ping", typed("ping"));
}

AnthropicReply& AnthropicReply::stop(std::string_view reason) {
  stop_ = reason;
  return *this;
}

AnthropicReply& AnthropicReply::usage(std::int64_t input, std::int64_t output) {
  output_tokens_ = output;
  return event("message_delta", {{"type", "message_delta"},
                                 {"delta", {{"stop_reason", nullptr}}},
                                 {"usage", {{"input_tokens", input}, {"output_tokens", output}}}});
}

AnthropicReply& AnthropicReply::error(std::string_view type, std::string_view message) {
  closed_ = true;
  return event("error", {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}});
}

AnthropicReply& AnthropicReply::cut() {
  closed_ = true;
  return *this;
}

std::string AnthropicReply::str() const {
  if (closed_) return body_;
  const std::string reason = !stop_.empty() ? stop_ : has_call_ ? "tool_use" : "end_turn";
  return body_ +
         event_text("message_delta",
                    {{"type", "message_delta"},
                     {"delta", {{"stop_reason", reason}, {"stop_sequence", nullptr}}},
                     {"usage", {{"output_tokens", output_tokens_}}}}) +
         event_text("message_stop", typed("message_stop"));
}

}  // namespace agentd::test
