// What is said between user, model and tools: plain values, shared by every room. They hold
// meaning, not bytes: model/ turns them into one vendor's JSON and back.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace agentd {

using Json = nlohmann::json;

struct TextBlock {
  std::string text;  // valid UTF-8
};

/// The model's reasoning. With a signature it goes back byte for byte, in place, empty text too.
struct ThinkingBlock {
  std::string thinking;
  std::optional<std::string> signature;  // absent: an endpoint that does not sign
};

struct RedactedThinkingBlock {
  std::string data;  // opaque, goes back unchanged
};

struct ToolUseBlock {
  std::string id;    // unique over the session's history, never empty
  std::string name;  // as the model wrote it
  Json input;        // always an object
};

struct ImageBlock {
  std::string media_type;  // image/png, image/jpeg, image/gif or image/webp
  std::string data;        // base64
};

/// What a tool gives back to the model.
using ToolContent = std::variant<TextBlock, ImageBlock>;

struct ToolResultBlock {
  std::string tool_use_id;
  std::vector<ToolContent> content;  // never empty
  bool is_error = false;
};

/// A block of a type we do not know (a server tool, say): kept and sent back verbatim to the API
/// it came from, shown to nobody.
struct OpaqueBlock {
  std::string type;
  std::string json;  // the whole block, one JSON object
};

using Block = std::variant<TextBlock, ThinkingBlock, RedactedThinkingBlock, ToolUseBlock,
                           ImageBlock, ToolResultBlock, OpaqueBlock>;

/// An image, or a result with one in it.
bool has_image(const Block& block);
/// Thinking, redacted or not.
bool is_thinking(const Block& block);

enum class Role { user, assistant };

struct Message {
  Role role = Role::user;
  std::vector<Block> blocks;
};

/// Messages never change once they are in a history, so views and caches share them.
using MessagePtr = std::shared_ptr<const Message>;

/// What `content` says in words; images say nothing.
std::string text_of(const std::vector<ToolContent>& content);

/// A tool as the model is told of it.
struct ToolDefinition {
  std::string name;         // ^[a-zA-Z0-9_-]{1,64}$
  std::string description;  // Markdown
  Json input_schema;        // JSON Schema, type object
};

/// Tokens of one model call. Absent fields were not told by the endpoint.
struct Usage {
  std::optional<std::int64_t> input_tokens;  // without the cached ones
  std::optional<std::int64_t> cache_creation_input_tokens;
  std::optional<std::int64_t> cache_read_input_tokens;
  std::optional<std::int64_t> output_tokens;

  /// Fields that `later` tells replace ours (the API's counts are cumulative, never added).
  void overwrite(const Usage& later);
  /// Adds another call's tokens.
  void add(const Usage& other);
  bool operator==(const Usage&) const = default;
};

}  // namespace agentd
