#include "property/anthropic_stream.h"

#include <map>

namespace agentd::test {
namespace {

using model::BlockKind;
using model::FailureClass;

class Writer {
 public:
  ServerReply reply;

  Writer() {
    reply.body =
        frame("message_start", {{"message",
                                 {{"id", "m"},
                                  {"role", "assistant"},
                                  {"model", "mind"},
                                  {"content", Json::array()},
                                  {"usage", {{"input_tokens", 10}, {"output_tokens", 1}}}}}});
  }

  void write(const model::MessageBegan&) {}
  void write(const model::UsageTold&) {}

  void write(const model::BlockBegan& began) {
    Json block;
    switch (began.kind) {
      case BlockKind::text:
        block = {{"type", "text"}, {"text", ""}};
        break;
      case BlockKind::thinking:
        block = {{"type", "thinking"}, {"thinking", ""}};
        break;
      case BlockKind::redacted_thinking:
        block = {{"type", "redacted_thinking"}, {"data", "x"}};
        break;
      case BlockKind::tool_use:
        block = {{"type", "tool_use"},
                 {"id", began.tool_use_id},
                 {"name", began.tool_name},
                 {"input", Json::object()}};
        break;
      case BlockKind::opaque:
        block = {{"type", "other"}};
        break;
    }
    add("content_block_start", {{"index", began.block}, {"content_block", block}});
  }

  void write(const model::Delta& delta) {
    switch (delta.kind) {
      case model::DeltaKind::text:
        return add_delta(delta.block, {{"type", "text_delta"}, {"text", delta.text}});
      case model::DeltaKind::thinking:
        return add_delta(delta.block, {{"type", "thinking_delta"}, {"thinking", delta.text}});
      case model::DeltaKind::input:
        return add_delta(delta.block, {{"type", "input_json_delta"}, {"partial_json", delta.text}});
    }
  }

  void write(const model::BlockEnded& ended) {
    if (ended.signature) {
      add_delta(ended.block, {{"type", "signature_delta"}, {"signature", *ended.signature}});
    }
    add("content_block_stop", {{"index", ended.block}});
  }

  void write(const model::StopTold& told) {
    const std::string word = told.reason == model::StopReason::context_window_exceeded
                                 ? "model_context_window_exceeded"
                                 : told.wire;
    add("message_delta", {{"delta", {{"stop_reason", word}}}, {"usage", {{"output_tokens", 7}}}});
  }

  // An end that was not told must still be one, or it is a cut stream.
  void write(const model::MessageEnded&) { add("message_stop", Json::object()); }

  void write(const model::Failed& failed) {
    switch (failed.failure.failure_class) {
      case FailureClass::network:
        reply.end = ServerReply::End::reset;
        return;
      case FailureClass::stream_truncated:
      case FailureClass::timeout_idle:
        return;
      case FailureClass::malformed_event:
        reply.body += "data: {\"type\":\n\n";
        return;
      case FailureClass::invalid_request:
        return error(400, "invalid_request_error", "no such");
      case FailureClass::context_overflow:
        return error(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum");
      case FailureClass::image_refused:
        return error(400, "invalid_request_error", "Could not process image");
      case FailureClass::thinking_refused:
        return error(400, "invalid_request_error", "Invalid `signature` in `thinking` block");
      case FailureClass::output_limit_refused:
        return error(400, "invalid_request_error",
                     "max_tokens: 9000 > " +
                         std::to_string(failed.failure.allowed_output.value_or(0)) +
                         ", which is the maximum allowed number of output tokens");
      case FailureClass::auth:
        return error(401, "authentication_error", "bad key");
      case FailureClass::overloaded:
      case FailureClass::rate_limit:
      case FailureClass::api_error:
      case FailureClass::empty_response:
      case FailureClass::not_sse:
      case FailureClass::billing:
      case FailureClass::not_found:
      case FailureClass::too_large:
      case FailureClass::tls:
        return error(529, "overloaded_error", "busy");
    }
  }

 private:
  static std::string frame(const std::string& type, Json data) {
    data["type"] = type;
    return "event: " + type + "\ndata: " + data.dump() + "\n\n";
  }

  void add(const std::string& type, Json data) {
    reply.body += frame(type, std::move(data));
    begun_ = true;
  }
  void add_delta(int index, Json delta) {
    add("content_block_delta", {{"index", index}, {"delta", std::move(delta)}});
  }

  void error(int status, const std::string& type, const std::string& message) {
    const Json body = {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
    if (!begun_) {
      reply = ServerReply::json(status, body.dump());
    } else {
      reply.body += frame("error", body);
    }
  }

  bool begun_ = false;
};

}  // namespace

ServerReply anthropic_stream(const model::ModelEvents& events) {
  Writer writer;
  for (const auto& event : events) {
    std::visit([&](const auto& e) { writer.write(e); }, event);
  }
  return std::move(writer.reply);
}

}  // namespace agentd::test
