#include "session/message_json.h"

#include <algorithm>
#include <utility>

#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"

namespace agentd::session {
namespace {

using wire::Json;

// ---- what is stored ----------------------------------------------------------------------------

struct StoredText {
  static constexpr std::string_view kType = "text";
  std::string text;
  static void fields(auto& field) { field("text", &StoredText::text, ""); }
};

struct StoredImage {
  static constexpr std::string_view kType = "image";
  std::string media_type;
  std::string data;
  static void fields(auto& field) {
    field("mediaType", &StoredImage::media_type, "");
    field("data", &StoredImage::data, "");
  }
};

using StoredContent = std::variant<StoredText, StoredImage>;

struct StoredThinking {
  static constexpr std::string_view kType = "thinking";
  std::string thinking;
  std::optional<std::string> signature;
  static void fields(auto& field) {
    field("thinking", &StoredThinking::thinking, "");
    field("signature", &StoredThinking::signature, "");
  }
};

struct StoredRedactedThinking {
  static constexpr std::string_view kType = "redacted_thinking";
  std::string data;
  static void fields(auto& field) { field("data", &StoredRedactedThinking::data, ""); }
};

struct StoredToolUse {
  static constexpr std::string_view kType = "tool_use";
  std::string id;
  std::string name;
  Json input;
  static void fields(auto& field) {
    field("id", &StoredToolUse::id, "");
    field("name", &StoredToolUse::name, "");
    field("input", &StoredToolUse::input, "", {.object = true});
  }
};

struct StoredToolResult {
  static constexpr std::string_view kType = "tool_result";
  std::string tool_use_id;
  std::vector<StoredContent> content;
  bool is_error = false;
  static void fields(auto& field) {
    field("toolUseId", &StoredToolResult::tool_use_id, "");
    field("content", &StoredToolResult::content, "");
    field("isError", &StoredToolResult::is_error, "");
  }
};

struct StoredOpaque {
  static constexpr std::string_view kType = "opaque";
  std::string of_type;
  std::string json;
  static void fields(auto& field) {
    field("ofType", &StoredOpaque::of_type, "");
    field("json", &StoredOpaque::json, "");
  }
};

using StoredBlock = std::variant<StoredText, StoredThinking, StoredRedactedThinking, StoredToolUse,
                                 StoredImage, StoredToolResult, StoredOpaque>;

enum class StoredRole { user, assistant };

constexpr auto wire_names(StoredRole) {
  return wire::names<StoredRole>(
      "", {{StoredRole::user, "user"}, {StoredRole::assistant, "assistant"}});
}

struct StoredMessage {
  StoredRole role = StoredRole::user;
  std::vector<StoredBlock> blocks;
  static void fields(auto& field) {
    field("role", &StoredMessage::role, "");
    field("content", &StoredMessage::blocks, "");
  }
};

struct StoredCompacted {
  static constexpr std::string_view kType = "compacted";
  std::vector<StoredBlock> head;
  std::int64_t keep_from = 0;
  static void fields(auto& field) {
    field("head", &StoredCompacted::head, "");
    field("keepFrom", &StoredCompacted::keep_from, "", {.minimum = 0});
  }
};

struct StoredOutputsCleared {
  static constexpr std::string_view kType = "outputs_cleared";
  std::vector<std::string> tool_use_ids;
  static void fields(auto& field) { field("toolUseIds", &StoredOutputsCleared::tool_use_ids, ""); }
};

struct StoredImagesReplaced {
  static constexpr std::string_view kType = "images_replaced";
  std::string note;
  static void fields(auto& field) { field("note", &StoredImagesReplaced::note, ""); }
};

struct StoredThinkingStripped {
  static constexpr std::string_view kType = "thinking_stripped";
  static void fields(auto&) {}
};

struct StoredChange {
  std::variant<StoredCompacted, StoredOutputsCleared, StoredImagesReplaced, StoredThinkingStripped>
      change;
  static void fields(auto& field) { field("change", &StoredChange::change, ""); }
};

// ---- there -------------------------------------------------------------------------------------

StoredContent stored(const ToolContent& part) {
  if (const auto* text = std::get_if<TextBlock>(&part)) return StoredText{text->text};
  const auto& image = std::get<ImageBlock>(part);
  return StoredImage{image.media_type, image.data};
}

std::vector<StoredContent> stored(const std::vector<ToolContent>& content) {
  std::vector<StoredContent> out;
  for (const ToolContent& part : content) out.push_back(stored(part));
  return out;
}

struct BlockStorer {
  StoredBlock operator()(const TextBlock& block) const { return StoredText{block.text}; }
  StoredBlock operator()(const ThinkingBlock& block) const {
    return StoredThinking{block.thinking, block.signature};
  }
  StoredBlock operator()(const RedactedThinkingBlock& block) const {
    return StoredRedactedThinking{block.data};
  }
  StoredBlock operator()(const ToolUseBlock& block) const {
    return StoredToolUse{block.id, block.name, block.input};
  }
  StoredBlock operator()(const ImageBlock& block) const {
    return StoredImage{block.media_type, block.data};
  }
  StoredBlock operator()(const ToolResultBlock& block) const {
    return StoredToolResult{block.tool_use_id, stored(block.content), block.is_error};
  }
  StoredBlock operator()(const OpaqueBlock& block) const {
    return StoredOpaque{block.type, block.json};
  }
};

std::vector<StoredBlock> stored(const std::vector<Block>& blocks) {
  std::vector<StoredBlock> out;
  for (const Block& block : blocks) out.push_back(std::visit(BlockStorer{}, block));
  return out;
}

struct ChangeStorer {
  decltype(StoredChange::change) operator()(const context::Compacted& change) const {
    return StoredCompacted{stored(change.head), static_cast<std::int64_t>(change.keep_from)};
  }
  decltype(StoredChange::change) operator()(const context::OutputsCleared& change) const {
    StoredOutputsCleared cleared{{change.tool_use_ids.begin(), change.tool_use_ids.end()}};
    std::sort(cleared.tool_use_ids.begin(), cleared.tool_use_ids.end());
    return cleared;
  }
  decltype(StoredChange::change) operator()(const context::ImagesReplaced& change) const {
    return StoredImagesReplaced{change.note};
  }
  decltype(StoredChange::change) operator()(const context::ThinkingStripped&) const {
    return StoredThinkingStripped{};
  }
};

// ---- and back ----------------------------------------------------------------------------------

ToolContent restored(StoredContent&& part) {
  if (auto* text = std::get_if<StoredText>(&part)) return TextBlock{std::move(text->text)};
  auto& image = std::get<StoredImage>(part);
  return ImageBlock{std::move(image.media_type), std::move(image.data)};
}

std::vector<ToolContent> restored(std::vector<StoredContent>&& content) {
  std::vector<ToolContent> out;
  for (StoredContent& part : content) out.push_back(restored(std::move(part)));
  return out;
}

struct BlockRestorer {
  Block operator()(StoredText& block) const { return TextBlock{std::move(block.text)}; }
  Block operator()(StoredThinking& block) const {
    return ThinkingBlock{std::move(block.thinking), std::move(block.signature)};
  }
  Block operator()(StoredRedactedThinking& block) const {
    return RedactedThinkingBlock{std::move(block.data)};
  }
  Block operator()(StoredToolUse& block) const {
    return ToolUseBlock{std::move(block.id), std::move(block.name), std::move(block.input)};
  }
  Block operator()(StoredImage& block) const {
    return ImageBlock{std::move(block.media_type), std::move(block.data)};
  }
  Block operator()(StoredToolResult& block) const {
    return ToolResultBlock{std::move(block.tool_use_id), restored(std::move(block.content)),
                           block.is_error};
  }
  Block operator()(StoredOpaque& block) const {
    return OpaqueBlock{std::move(block.of_type), std::move(block.json)};
  }
};

std::vector<Block> restored(std::vector<StoredBlock>&& blocks) {
  std::vector<Block> out;
  for (StoredBlock& block : blocks) out.push_back(std::visit(BlockRestorer{}, block));
  return out;
}

struct ChangeRestorer {
  context::ViewChange operator()(StoredCompacted& change) const {
    return context::Compacted{restored(std::move(change.head)),
                              static_cast<std::size_t>(change.keep_from)};
  }
  context::ViewChange operator()(StoredOutputsCleared& change) const {
    return context::OutputsCleared{{change.tool_use_ids.begin(), change.tool_use_ids.end()}};
  }
  context::ViewChange operator()(StoredImagesReplaced& change) const {
    return context::ImagesReplaced{std::move(change.note)};
  }
  context::ViewChange operator()(StoredThinkingStripped&) const {
    return context::ThinkingStripped{};
  }
};

template <class Stored>
Result<Stored> decoded(std::string_view text) {
  const auto json = wire::parse(text);
  if (!json) return json.error();
  return wire::decode<Stored>(*json, "");
}

}  // namespace

std::string to_json(const Message& message) {
  const StoredRole role = message.role == Role::user ? StoredRole::user : StoredRole::assistant;
  return wire::encode(StoredMessage{role, stored(message.blocks)});
}

Result<Message> message_from_json(std::string_view json) {
  auto message = decoded<StoredMessage>(json);
  if (!message) return message.error();
  return Message{message->role == StoredRole::user ? Role::user : Role::assistant,
                 restored(std::move(message->blocks))};
}

std::string to_json(const context::ViewChange& change) {
  return wire::encode(StoredChange{std::visit(ChangeStorer{}, change)});
}

Result<context::ViewChange> change_from_json(std::string_view json) {
  auto change = decoded<StoredChange>(json);
  if (!change) return change.error();
  return std::visit(ChangeRestorer{}, change->change);
}

}  // namespace agentd::session
