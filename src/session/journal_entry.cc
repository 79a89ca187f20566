#include "session/journal_entry.h"

namespace agentd::session {
namespace {

constexpr std::size_t kEach = 64;  // of an entry or a value besides its texts

std::size_t bytes_of_json(const Json& json) {
  std::size_t bytes = kEach;
  if (json.is_string()) bytes += json.get_ref<const std::string&>().size();
  if (json.is_structured()) {
    for (const Json& each : json) bytes += bytes_of_json(each);
  }
  return bytes;
}

std::size_t bytes_of_content(const ToolContent& content) {
  if (const auto* text = std::get_if<TextBlock>(&content)) return text->text.size();
  return std::get<ImageBlock>(content).data.size();
}

struct BlockBytes {
  std::size_t operator()(const TextBlock& block) const { return block.text.size(); }
  std::size_t operator()(const ThinkingBlock& block) const {
    return block.thinking.size() + (block.signature ? block.signature->size() : 0);
  }
  std::size_t operator()(const RedactedThinkingBlock& block) const { return block.data.size(); }
  std::size_t operator()(const ToolUseBlock& block) const { return bytes_of_json(block.input); }
  std::size_t operator()(const ImageBlock& block) const { return block.data.size(); }
  std::size_t operator()(const ToolResultBlock& block) const {
    std::size_t bytes = 0;
    for (const ToolContent& content : block.content) bytes += bytes_of_content(content);
    return bytes;
  }
  std::size_t operator()(const OpaqueBlock& block) const { return block.json.size(); }
};

std::size_t bytes_of_message(const Message& message) {
  std::size_t bytes = kEach;
  for (const Block& block : message.blocks) bytes += kEach + std::visit(BlockBytes{}, block);
  return bytes;
}

std::size_t bytes_of_messages(const std::vector<MessagePtr>& messages) {
  std::size_t bytes = 0;
  for (const MessagePtr& message : messages) bytes += bytes_of_message(*message);
  return bytes;
}

struct EntryBytes {
  std::size_t operator()(const RowChanged& changed) const { return changed.row.state.size(); }
  std::size_t operator()(const LogCleared&) const { return 0; }
  std::size_t operator()(const MessagesSaid& said) const {
    return bytes_of_messages(said.messages);
  }
  std::size_t operator()(const ViewChanged& changed) const {
    return bytes_of_messages(changed.change.view);
  }
  std::size_t operator()(const BlockWhole& whole) const {
    return std::visit(BlockBytes{}, whole.block);
  }
  std::size_t operator()(const CallBegan&) const { return 0; }
  std::size_t operator()(const CallSettled& settled) const { return BlockBytes{}(settled.result); }
  std::size_t operator()(const ReplyDropped&) const { return 0; }
  std::size_t operator()(const Part& part) const { return part.params.size(); }
};

}  // namespace

std::size_t bytes_of(const JournalEntry& entry) {
  return kEach + std::visit(EntryBytes{}, entry);
}

}  // namespace agentd::session
