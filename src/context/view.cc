#include "context/view.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "context/tokens.h"

namespace agentd::context {
namespace {

constexpr std::string_view kClearedNote =
    "[This output was removed to make room. Make the call again if you need it.]";

bool cleared(const ToolResultBlock& result) {
  const auto* text =
      result.content.size() == 1 ? std::get_if<TextBlock>(&result.content.front()) : nullptr;
  return text != nullptr && text->text == kClearedNote;
}

// `change` gives the message in its place, or nothing where it stays as it is.
using Change = std::function<std::optional<Message>(const Message&)>;

View changed(const View& view, const Change& change) {
  View out;
  out.reserve(view.size());
  for (const MessagePtr& message : view) {
    std::optional<Message> other = change(*message);
    if (!other) {
      push_joined(out, message);
    } else if (!other->blocks.empty()) {
      push_joined(out, std::make_shared<const Message>(std::move(*other)));
    }
  }
  return out;
}

template <class Predicate>
bool any_block(const Message& message, Predicate predicate) {
  return std::any_of(message.blocks.begin(), message.blocks.end(), predicate);
}

void replace_images(Block& block, const TextBlock& note) {
  if (std::holds_alternative<ImageBlock>(block)) block = note;
  if (auto* result = std::get_if<ToolResultBlock>(&block)) {
    for (ToolContent& part : result->content) {
      if (std::holds_alternative<ImageBlock>(part)) part = note;
    }
  }
}

}  // namespace

bool has_calls(const Message& message) {
  return any_block(message,
                   [](const Block& block) { return std::holds_alternative<ToolUseBlock>(block); });
}

bool has_results(const Message& message) {
  return any_block(
      message, [](const Block& block) { return std::holds_alternative<ToolResultBlock>(block); });
}

bool has_images(const View& view) {
  return std::any_of(view.begin(), view.end(),
                     [](const MessagePtr& message) { return any_block(*message, has_image); });
}

bool has_thinking(const View& view) {
  return std::any_of(view.begin(), view.end(),
                     [](const MessagePtr& message) { return any_block(*message, is_thinking); });
}

void push_joined(View& view, MessagePtr message) {
  if (view.empty() || view.back()->role != message->role) {
    view.push_back(std::move(message));
    return;
  }
  Message joined = *view.back();
  joined.blocks.insert(joined.blocks.end(), message->blocks.begin(), message->blocks.end());
  view.back() = std::make_shared<const Message>(std::move(joined));
}

std::unordered_set<std::string> outputs_to_clear(const View& view, std::int64_t protected_tokens,
                                                 std::int64_t least) {
  std::unordered_set<std::string> ids;
  const std::int64_t note = estimate(kClearedNote);
  std::int64_t newer = 0;
  std::int64_t freed = 0;
  for (auto message = view.rbegin(); message != view.rend(); ++message) {
    for (auto block = (*message)->blocks.rbegin(); block != (*message)->blocks.rend(); ++block) {
      const auto* result = std::get_if<ToolResultBlock>(&*block);
      if (result == nullptr || cleared(*result)) continue;
      const std::int64_t size = estimate(*block);
      newer += size;
      if (message == view.rbegin() || newer <= protected_tokens || size <= 2 * note) continue;
      ids.insert(result->tool_use_id);
      freed += size - note;
    }
  }
  if (freed < least) ids.clear();
  return ids;
}

View with_outputs_cleared(const View& view, const std::unordered_set<std::string>& ids) {
  const auto due = [&ids](const Block& block) {
    const auto* result = std::get_if<ToolResultBlock>(&block);
    return result != nullptr && ids.count(result->tool_use_id) > 0 && !cleared(*result);
  };
  return changed(view, [&](const Message& message) -> std::optional<Message> {
    if (!any_block(message, due)) return std::nullopt;
    Message other = message;
    for (Block& block : other.blocks) {
      if (!due(block)) continue;
      std::get<ToolResultBlock>(block).content = {TextBlock{std::string(kClearedNote)}};
    }
    return other;
  });
}

View with_images_replaced(const View& view, std::string_view note) {
  const TextBlock text{std::string(note)};
  return changed(view, [&text](const Message& message) -> std::optional<Message> {
    if (!any_block(message, has_image)) return std::nullopt;
    Message other = message;
    for (Block& block : other.blocks) replace_images(block, text);
    return other;
  });
}

View with_thinking_stripped(const View& view) {
  return changed(view, [](const Message& message) -> std::optional<Message> {
    if (!any_block(message, is_thinking)) return std::nullopt;
    Message other = message;
    std::erase_if(other.blocks, is_thinking);
    return other;
  });
}

std::int64_t estimate(const View& view) {
  std::int64_t tokens = 0;
  for (const MessagePtr& message : view) tokens += estimate(*message);
  return tokens;
}

std::size_t first_difference(const View& before, const View& after) {
  return static_cast<std::size_t>(
      std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first -
      before.begin());
}

}  // namespace agentd::context
