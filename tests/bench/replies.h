// The replies the bench's model gives, as Anthropic server-sent events.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace agentd::bench {

struct ToolCall {
  std::string name;
  nlohmann::json input;
};

std::string message_start(std::size_t input_tokens = 10);
std::string text_start(int block);
std::string text_delta(int block, std::string_view text);
std::string tool_start(int block, const std::string& id, const std::string& name);
std::string input_delta(int block, std::string_view json);
std::string block_stop(int block);
std::string message_end(std::string_view stop_reason);

/// Whole replies. `turn` makes the ids of its calls unique.
std::string text_reply(std::string_view text);
std::string tool_reply(std::size_t turn, const std::vector<ToolCall>& calls);

}  // namespace agentd::bench
