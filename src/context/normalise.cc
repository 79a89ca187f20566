#include "context/normalise.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"

namespace agentd::context {
namespace {

// Told to the model in place of a result that was lost (a crash, say).
constexpr std::string_view kNoResult =
    "No result was recorded for this call. It may have run, in part or whole: check before you "
    "repeat it.";
constexpr std::string_view kNoOutput = "(no output)";

void make_valid(std::string& text) {
  if (!utf8::valid(text)) text = utf8::repaired(text);
}

void repair_content(std::vector<ToolContent>& content) {
  for (auto& part : content) {
    if (auto* text = std::get_if<TextBlock>(&part)) make_valid(text->text);
  }
  std::erase_if(content, [](const ToolContent& part) {
    const auto* text = std::get_if<TextBlock>(&part);
    return text != nullptr && ascii::blank(text->text);
  });
  if (content.empty()) content.push_back(TextBlock{std::string(kNoOutput)});
}

ToolResultBlock missing_result(const std::string& id) {
  return ToolResultBlock{id, {TextBlock{std::string(kNoResult)}}, true};
}

}  // namespace

void repair_blocks(std::vector<Block>& blocks) {
  for (auto& block : blocks) {
    if (auto* text = std::get_if<TextBlock>(&block)) make_valid(text->text);
    if (auto* result = std::get_if<ToolResultBlock>(&block)) repair_content(result->content);
  }
  std::erase_if(blocks, [](const Block& block) {
    const auto* text = std::get_if<TextBlock>(&block);
    return text != nullptr && ascii::blank(text->text);
  });
}

void drop_last_thinking(std::vector<Block>& blocks) {
  while (!blocks.empty() && is_thinking(blocks.back())) blocks.pop_back();
}

std::vector<std::string> tool_use_ids(const Message& message) {
  std::vector<std::string> ids;
  for (const auto& block : message.blocks) {
    if (const auto* call = std::get_if<ToolUseBlock>(&block)) ids.push_back(call->id);
  }
  return ids;
}

std::vector<Block> pair_results(std::vector<Block> blocks, const std::vector<std::string>& calls) {
  std::vector<Block> paired;
  paired.reserve(blocks.size() + calls.size());
  for (const auto& id : calls) {
    const auto answer = std::find_if(blocks.begin(), blocks.end(), [&](const Block& block) {
      const auto* result = std::get_if<ToolResultBlock>(&block);
      return result != nullptr && result->tool_use_id == id;
    });
    if (answer == blocks.end()) {
      paired.emplace_back(missing_result(id));
    } else {
      paired.push_back(std::move(*answer));
      blocks.erase(answer);
    }
  }
  for (auto& block : blocks) {
    if (!std::holds_alternative<ToolResultBlock>(block)) paired.push_back(std::move(block));
  }
  return paired;
}

}  // namespace agentd::context
