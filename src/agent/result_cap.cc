#include "agent/result_cap.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"

namespace agentd::agent {

std::vector<ToolContent> capped(std::vector<ToolContent> content) {
  std::size_t left = kMaxResultText;
  for (auto& part : content) {
    auto* text = std::get_if<TextBlock>(&part);
    if (text == nullptr) continue;
    if (!utf8::valid(text->text)) text->text = utf8::repaired(text->text);
    if (text->text.size() > left) {
      const std::size_t whole = text->text.size();
      text->text = std::string(utf8::head(text->text, left));
      text->text += "\n[cut here: " + std::to_string(whole - left) + " more bytes]";
      left = 0;
    } else {
      left -= text->text.size();
    }
  }
  const bool nothing = std::all_of(content.begin(), content.end(), [](const ToolContent& part) {
    const auto* text = std::get_if<TextBlock>(&part);
    return text != nullptr && ascii::blank(text->text);
  });
  if (nothing) content = {TextBlock{"(no output)"}};
  return content;
}

}  // namespace agentd::agent
