// What prompts and tool results are made of, and small structs that several messages share.
// Declarations only; every field's sentence is its documentation in protocol/.
#pragma once

#include "wire/description.h"

namespace agentd::protocol {

using wire::Json;

struct TextContent {
  static constexpr std::string_view kName = "TextContent";
  static constexpr std::string_view kType = "text";
  std::string text;

  static void fields(auto& field) { field("text", &TextContent::text, "The text."); }
};

struct ImageContent {
  static constexpr std::string_view kName = "ImageContent";
  static constexpr std::string_view kType = "image";
  std::string media_type;
  std::string data;

  static void fields(auto& field) {
    field("mediaType", &ImageContent::media_type,
          "image/png, image/jpeg, image/gif or image/webp.");
    field("data", &ImageContent::data, "The file's bytes in base64.");
  }
};

using Content = std::variant<TextContent, ImageContent>;

/// A prompt: plain text or content blocks.
using Prompt = std::variant<std::string, std::vector<Content>>;

struct Usage {
  static constexpr std::string_view kName = "Usage";
  static constexpr std::string_view kDoc =
      "Tokens as the model's endpoint counted them; a count it did not tell is absent.";
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> cache_creation_input_tokens;
  std::optional<std::int64_t> cache_read_input_tokens;
  std::optional<std::int64_t> output_tokens;

  static void fields(auto& field) {
    field("inputTokens", &Usage::input_tokens, "Input tokens, the cached ones not counted.",
          {.minimum = 0});
    field("cacheCreationInputTokens", &Usage::cache_creation_input_tokens,
          "Input tokens written to the prompt cache.", {.minimum = 0});
    field("cacheReadInputTokens", &Usage::cache_read_input_tokens,
          "Input tokens read from the prompt cache.", {.minimum = 0});
    field("outputTokens", &Usage::output_tokens, "Tokens the model wrote.", {.minimum = 0});
  }
};

/// A result without members, and the params of messages that need none.
struct Empty {
  static constexpr std::string_view kName = "Empty";
  static constexpr std::string_view kDoc = "An object without members of its own.";

  static void fields(auto& /*field*/) {}
};

}  // namespace agentd::protocol
