#include "context/tokens.h"

#include <algorithm>
#include <variant>

namespace agentd::context {
namespace {

constexpr std::int64_t kBytesPerToken = 4;

// Bytes of other than ASCII characters count double.
std::int64_t weight(std::string_view text) {
  std::int64_t weighed = static_cast<std::int64_t>(text.size());
  for (const char byte : text) weighed += static_cast<unsigned char>(byte) >> 7;
  return weighed;
}

std::int64_t weight(const Json& json);

std::int64_t members_weight(const Json& json) {
  std::int64_t weighed = 2;  // its brackets
  for (const auto& member : json.items()) {
    weighed += weight(member.value()) + 1;
    if (json.is_object()) weighed += weight(std::string_view(member.key())) + 3;
  }
  return weighed;
}

// As its text would weigh, without writing it.
std::int64_t weight(const Json& json) {
  constexpr std::int64_t kScalar = 5;  // a number, true, null
  if (json.is_string()) return weight(std::string_view(*json.get_ptr<const std::string*>())) + 2;
  return json.is_structured() ? members_weight(json) : kScalar;
}

std::int64_t tokens_of(std::int64_t weighed) {
  return (weighed + kBytesPerToken - 1) / kBytesPerToken;
}

struct BlockEstimate {
  std::int64_t operator()(const TextBlock& block) const { return estimate(block.text); }
  std::int64_t operator()(const ThinkingBlock& block) const { return estimate(block.thinking); }
  std::int64_t operator()(const RedactedThinkingBlock& block) const { return estimate(block.data); }
  std::int64_t operator()(const ImageBlock&) const { return kImageTokens; }
  std::int64_t operator()(const OpaqueBlock& block) const { return estimate(block.json); }
  std::int64_t operator()(const ToolUseBlock& block) const {
    return tokens_of(weight(std::string_view(block.id)) + weight(std::string_view(block.name)) +
                     weight(block.input));
  }
  std::int64_t operator()(const ToolResultBlock& block) const {
    std::int64_t tokens = estimate(block.tool_use_id);
    for (const ToolContent& part : block.content) tokens += std::visit(*this, part) + kBlockTokens;
    return tokens;
  }
};

}  // namespace

std::int64_t estimate(std::string_view text) {
  return tokens_of(weight(text));
}

std::int64_t estimate(const Block& block) {
  return std::visit(BlockEstimate{}, block) + kBlockTokens;
}

std::int64_t estimate(const Message& message) {
  std::int64_t tokens = kBlockTokens;
  for (const Block& block : message.blocks) tokens += estimate(block);
  return tokens;
}

std::int64_t estimate(const ToolDefinition& tool) {
  return estimate(tool.name) + estimate(tool.description) + tokens_of(weight(tool.input_schema)) +
         kBlockTokens;
}

void TokenCount::add(std::int64_t tokens) {
  estimated_ += tokens;
  tail_ += tokens;
}

void TokenCount::measured(const Usage& usage) {
  const std::int64_t input = usage.input_tokens.value_or(0) +
                             usage.cache_creation_input_tokens.value_or(0) +
                             usage.cache_read_input_tokens.value_or(0);
  if (input <= 0) return;
  base_ = input + std::max<std::int64_t>(0, usage.output_tokens.value_or(0));
  tail_ = 0;
}

void TokenCount::replaced(std::int64_t tokens) {
  // Past a factor of two the overhead was not told or the endpoint's count is of something else.
  const auto before = static_cast<double>(overhead_ + estimated_);
  const double ratio = base_ && before > 0
                           ? std::clamp(static_cast<double>(this->tokens()) / before, 0.5, 2.0)
                           : 1.0;
  if (base_) {
    base_ = static_cast<std::int64_t>(static_cast<double>(overhead_ + tokens) * ratio);
    tail_ = 0;
  } else {
    tail_ = tokens;
  }
  estimated_ = tokens;
}

}  // namespace agentd::context
