#include "agent/reply.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace agentd::agent {

using model::BlockKind;

namespace {

Block as_kept(const ReplyBlock& block) {
  switch (block.kind) {
    case BlockKind::text:
      return TextBlock{block.text};
    case BlockKind::thinking:
      return ThinkingBlock{block.text, block.signature};
    case BlockKind::redacted_thinking:
      return RedactedThinkingBlock{block.data};
    case BlockKind::tool_use:
      return ToolUseBlock{block.tool_use_id, block.tool_name, block.input};
    case BlockKind::opaque:
      return OpaqueBlock{"", block.data};
  }
  return TextBlock{};
}

}  // namespace

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
        return !ascii::blank(block.text);
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
    const bool kept_when_cut = block.kind == BlockKind::text || block.kind == BlockKind::tool_use;
    if (!block.ended && !kept_when_cut) continue;
    const bool unsigned_thinking = block.kind == BlockKind::thinking && !block.signature;
    if (unsigned_thinking && drop_unsigned) continue;
    message.blocks.push_back(as_kept(block));
  }
  return message;
}

std::optional<Block> Reply::whole_block(int number) const {
  const ReplyBlock& block = blocks_.at(static_cast<std::size_t>(number));
  if (!block.ended) return std::nullopt;
  return as_kept(block);
}

}  // namespace agentd::agent
