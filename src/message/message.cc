#include "message/message.h"

#include <algorithm>

namespace agentd {
namespace {

void replace(std::optional<std::int64_t>& field, const std::optional<std::int64_t>& later) {
  if (later) field = later;
}

void sum(std::optional<std::int64_t>& field, const std::optional<std::int64_t>& other) {
  if (other) field = field.value_or(0) + *other;
}

}  // namespace

std::string text_of(const std::vector<ToolContent>& content) {
  std::string text;
  for (const ToolContent& part : content) {
    if (const auto* said = std::get_if<TextBlock>(&part)) text += said->text;
  }
  return text;
}

bool has_image(const Block& block) {
  const auto* result = std::get_if<ToolResultBlock>(&block);
  if (result == nullptr) return std::holds_alternative<ImageBlock>(block);
  return std::any_of(result->content.begin(), result->content.end(), [](const ToolContent& part) {
    return std::holds_alternative<ImageBlock>(part);
  });
}

bool is_thinking(const Block& block) {
  return std::holds_alternative<ThinkingBlock>(block) ||
         std::holds_alternative<RedactedThinkingBlock>(block);
}

void Usage::overwrite(const Usage& later) {
  replace(input_tokens, later.input_tokens);
  replace(cache_creation_input_tokens, later.cache_creation_input_tokens);
  replace(cache_read_input_tokens, later.cache_read_input_tokens);
  replace(output_tokens, later.output_tokens);
}

void Usage::add(const Usage& other) {
  sum(input_tokens, other.input_tokens);
  sum(cache_creation_input_tokens, other.cache_creation_input_tokens);
  sum(cache_read_input_tokens, other.cache_read_input_tokens);
  sum(output_tokens, other.output_tokens);
}

}  // namespace agentd
