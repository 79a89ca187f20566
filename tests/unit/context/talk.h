// Short ways to write messages, for the tests of this room.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "context/view.h"
#include "message/message.h"

namespace agentd::context::test {

inline Message user(std::string text) {
  return {Role::user, {TextBlock{std::move(text)}}};
}

inline Message said(std::string text) {
  return {Role::assistant, {TextBlock{std::move(text)}}};
}

inline Message calls(const std::vector<std::string>& ids) {
  Message message{Role::assistant, {}};
  for (const auto& id : ids) message.blocks.emplace_back(ToolUseBlock{id, "Read", Json::object()});
  return message;
}

inline ToolResultBlock result(std::string id, std::string text = "ok") {
  return {std::move(id), {TextBlock{std::move(text)}}, false};
}

inline Message results(const std::vector<std::string>& ids, const std::string& text = "ok") {
  Message message{Role::user, {}};
  for (const auto& id : ids) message.blocks.emplace_back(result(id, text));
  return message;
}

inline View view_of(std::vector<Message> messages) {
  View view;
  for (auto& message : messages) {
    view.push_back(std::make_shared<const Message>(std::move(message)));
  }
  return view;
}

/// The text of the block at `index` of a message, or of its first part if it is a result.
inline std::string text_at(const Message& message, std::size_t index) {
  const Block& block = message.blocks.at(index);
  if (const auto* text = std::get_if<TextBlock>(&block)) return text->text;
  return std::get<TextBlock>(std::get<ToolResultBlock>(block).content.at(0)).text;
}

}  // namespace agentd::context::test
