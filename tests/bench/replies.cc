#include "bench/replies.h"

namespace agentd::bench {
namespace {

using Json = nlohmann::json;

std::string event(const Json& data) {
  return "event: " + data["type"].get<std::string>() + "\ndata: " + data.dump() + "\n\n";
}

Json delta(int block, Json content) {
  return {{"type", "content_block_delta"}, {"index", block}, {"delta", std::move(content)}};
}

}  // namespace

std::string message_start(std::size_t input_tokens) {
  return event({{"type", "message_start"},
                {"message",
                 {{"id", "msg_bench"},
                  {"type", "message"},
                  {"role", "assistant"},
                  {"model", "bench"},
                  {"content", Json::array()},
                  {"stop_reason", nullptr},
                  {"usage", {{"input_tokens", input_tokens}, {"output_tokens", 1}}}}}});
}

std::string text_start(int block) {
  return event({{"type", "content_block_start"},
                {"index", block},
                {"content_block", {{"type", "text"}, {"text", ""}}}});
}

std::string text_delta(int block, std::string_view text) {
  return event(delta(block, {{"type", "text_delta"}, {"text", text}}));
}

std::string tool_start(int block, const std::string& id, const std::string& name) {
  return event({{"type", "content_block_start"},
                {"index", block},
                {"content_block",
                 {{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", Json::object()}}}});
}

std::string input_delta(int block, std::string_view json) {
  return event(delta(block, {{"type", "input_json_delta"}, {"partial_json", json}}));
}

std::string block_stop(int block) {
  return event({{"type", "content_block_stop"}, {"index", block}});
}

std::string message_end(std::string_view stop_reason) {
  return event({{"type", "message_delta"},
                {"delta", {{"stop_reason", stop_reason}, {"stop_sequence", nullptr}}},
                {"usage", {{"output_tokens", 20}}}}) +
         event({{"type", "message_stop"}});
}

std::string text_reply(std::string_view text) {
  return message_start() + text_start(0) + text_delta(0, text) + block_stop(0) +
         message_end("end_turn");
}

std::string tool_reply(std::size_t turn, const std::vector<ToolCall>& calls) {
  std::string events = message_start();
  int block = 0;
  for (const ToolCall& call : calls) {
    const std::string id = "toolu_" + std::to_string(turn) + "_" + std::to_string(block);
    events += tool_start(block, id, call.name) + input_delta(block, call.input.dump()) +
              block_stop(block);
    ++block;
  }
  return events + message_end("tool_use");
}

}  // namespace agentd::bench
