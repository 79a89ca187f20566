#include "property/chat_stream.h"

#include <map>
#include <string>
#include <utility>
#include <variant>

namespace agentd::test {
namespace {

using model::BlockKind;
using model::FailureClass;
using model::StopReason;

std::string finish_reason(const model::StopTold& told) {
  switch (told.reason) {
    case StopReason::end_turn:
      return "stop";
    case StopReason::tool_use:
      return "tool_calls";
    case StopReason::max_tokens:
      return "length";
    case StopReason::refusal:
      return "content_filter";
    case StopReason::context_window_exceeded:
      return "model_length";
    case StopReason::stop_sequence:
    case StopReason::pause_turn:
    case StopReason::timeout:
    case StopReason::unknown:
      break;
  }
  return told.wire;
}

class Writer {
 public:
  ServerReply reply;

  void write(const model::MessageBegan&) { add_delta({{"role", "assistant"}, {"content", ""}}); }

  void write(const model::UsageTold& told) { usage_.overwrite(told.usage); }

  void write(const model::BlockBegan& began) {
    if (began.kind != BlockKind::tool_use) return;
    const auto index = call_of_block_.size();
    call_of_block_[began.block] = index;
    Json call = {{"index", index},
                 {"type", "function"},
                 {"function", {{"name", began.tool_name}, {"arguments", ""}}}};
    if (!began.tool_use_id.empty()) call["id"] = began.tool_use_id;
    add_delta({{"tool_calls", {std::move(call)}}});
  }

  void write(const model::Delta& delta) {
    switch (delta.kind) {
      case model::DeltaKind::text:
        return add_delta({{"content", delta.text}});
      case model::DeltaKind::thinking:
        return add_delta({{"reasoning_content", delta.text}});
      case model::DeltaKind::input:
        return add_delta({{"tool_calls",
                           {{{"index", call_of_block_[delta.block]},
                             {"function", {{"arguments", delta.text}}}}}}});
    }
  }

  void write(const model::BlockEnded&) {}

  void write(const model::StopTold& told) {
    add({{"choices",
          {{{"index", 0}, {"delta", Json::object()}, {"finish_reason", finish_reason(told)}}}}});
  }

  void write(const model::MessageEnded&) {
    Json usage = {{"prompt_tokens", usage_.input_tokens.value_or(0)},
                  {"completion_tokens", usage_.output_tokens.value_or(0)}};
    add({{"choices", Json::array()}, {"usage", std::move(usage)}});
    reply.body += "data: [DONE]\n\n";
  }

  void write(const model::Failed& failed) {
    switch (failed.failure.failure_class) {
      case FailureClass::network:
        reply.end = ServerReply::End::reset;
        return;
      case FailureClass::stream_truncated:
      case FailureClass::timeout_idle:
        return;
      case FailureClass::malformed_event:
        reply.body += "data: {\"choices\":\n\n";
        return;
      case FailureClass::not_sse:
        reply.headers = {{"content-type", "text/html"}};
        reply.body += "<html><body>Bad gateway</body></html>";
        return;
      case FailureClass::invalid_request:
        return error(400, "invalid_request_error", "no such");
      case FailureClass::context_overflow:
        return error(400, "invalid_request_error",
                     "This model's maximum context length is 8 tokens.");
      case FailureClass::auth:
        return error(401, "invalid_request_error", "Incorrect API key provided");
      case FailureClass::overloaded:
      case FailureClass::rate_limit:
      case FailureClass::api_error:
      case FailureClass::empty_response:
      case FailureClass::billing:
      case FailureClass::not_found:
      case FailureClass::too_large:
      case FailureClass::image_refused:
      case FailureClass::thinking_refused:
      case FailureClass::output_limit_refused:
      case FailureClass::tls:
        return error(503, "server_error", "busy");
    }
  }

 private:
  void add(Json members) {
    members["id"] = "chatcmpl-1";
    members["object"] = "chat.completion.chunk";
    members["model"] = "mind";
    reply.body += "data: " + members.dump() + "\n\n";
    begun_ = true;
  }

  void add_delta(Json delta) {
    add({{"choices", {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", nullptr}}}}});
  }

  void error(int status, const std::string& type, const std::string& message) {
    const Json body = {
        {"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", nullptr}}}};
    if (begun_) {
      reply.body += "data: " + body.dump() + "\n\n";
    } else {
      reply = ServerReply::json(status, body.dump());
    }
  }

  std::map<int, std::size_t> call_of_block_;
  Usage usage_;
  bool begun_ = false;
};

}  // namespace

ServerReply chat_stream(const model::ModelEvents& events) {
  Writer writer;
  for (const auto& event : events) {
    std::visit([&](const auto& e) { writer.write(e); }, event);
  }
  return std::move(writer.reply);
}

}  // namespace agentd::test
