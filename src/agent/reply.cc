#include "agent/reply.h"

#include <algorithm>
#include <utility>

namespace agentd::agent {

using model::BlockKind;

ReplyBlock& Reply::begin(const model::BlockBegan& began, std::string tool_use_id) {
  ReplyBlock block;
  block.kind = began.kind;
  block.block_id = id_prefix_ + std::to_string(began.block);
  block.tool_use_id = std::move(tool_use_id);
  block.tool_name = began.tool_name;
  blocks_.push_back(std::move(block));
  return blocks_.back();
}

ReplyBlock& Reply::append(const model::Delta& delta) {
  ReplyBlock& target = block(delta.block);
  target.text += delta.text;
  return target;
}

ReplyBlock& Reply::end(const model::BlockEnded& ended_block) {
  ReplyBlock& target = block(ended_block.block);
  target.ended = true;
  target.signature = ended_block.signature;
  target.data = ended_block.data;
  return target;
}

std::string Reply::text() const {
  std::string text;
  for (const ReplyBlock& block : blocks_) {
    if (block.kind == model::BlockKind::text) text += block.text;
  }
  return text;
}

bool Reply::has_calls() const {
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const ReplyBlock& block) { return block.kind == BlockKind::tool_use; });
}

std::optional<model::FailureClass> Reply::failure_class() const {
  if (!failure) return std::nullopt;
  return failure->failure_class;
}

bool Reply::empty() const {
  return std::none_of(blocks_.begin(), blocks_.end(), [](const ReplyBlock& block) {
    switch (block.kind) {
      case BlockKind::text:
        return block.text.find_first_not_of(" \t\r\n") != std::string::npos;
      case BlockKind::tool_use:
        return true;
      case BlockKind::opaque:
        return true;  // a server tool's work is an answer
      case BlockKind::thinking:
        return false;
      case BlockKind::redacted_thinking:
        return false;
    }
    return false;
  });
}

Message Reply::message(bool drop_unsigned) const {
  Message message{Role::assistant, {}};
  for (const auto& block : blocks_) {
    switch (block.kind) {
      case BlockKind::text:
        message.blocks.emplace_back(TextBlock{block.text});
        break;
      case BlockKind::thinking:
        if (block.ended && (block.signature || !drop_unsigned)) {
          message.blocks.emplace_back(ThinkingBlock{block.text, block.signature});
        }
        break;
      case BlockKind::redacted_thinking:
        if (block.ended) message.blocks.emplace_back(RedactedThinkingBlock{block.data});
        break;
      case BlockKind::tool_use:
        message.blocks.emplace_back(ToolUseBlock{block.tool_use_id, block.tool_name, block.input});
        break;
      case BlockKind::opaque:
        if (block.ended) message.blocks.emplace_back(OpaqueBlock{"", block.data});
        break;
    }
  }
  return message;
}

}  // namespace agentd::agent
