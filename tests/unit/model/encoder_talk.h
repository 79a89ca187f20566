// What the tests of both encoders build their requests from.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/endpoint.h"
#include "model/provider.h"

namespace agentd::test {

inline std::string joined(const model::BodyPieces& pieces) {
  std::string body;
  for (const auto& piece : pieces) body += *piece;
  return body;
}

inline MessagePtr message(Role role, std::vector<Block> blocks) {
  return std::make_shared<const Message>(Message{role, std::move(blocks)});
}
inline MessagePtr user(const std::string& text) {
  return message(Role::user, {TextBlock{text}});
}

/// With a system prompt and two tools.
inline model::ModelRequest request_of(std::vector<MessagePtr> messages) {
  model::ModelRequest request;
  request.model = "model-x";
  request.system = "You are good.";
  request.tools = std::make_shared<const std::vector<ToolDefinition>>(
      std::vector<ToolDefinition>{{"Read", "Reads a file.", Json{{"type", "object"}}},
                                  {"Bash", "Runs \"it\".", Json{{"type", "object"}}}});
  request.messages = std::move(messages);
  request.max_output_tokens = 32'000;
  return request;
}

}  // namespace agentd::test
