#include "server/prompt.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"

namespace agentd::server {
namespace {

bool is_image_type(std::string_view type) {
  constexpr std::array<std::string_view, 4> kTypes{"image/png", "image/jpeg", "image/gif",
                                                   "image/webp"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool is_base64(std::string_view data) {
  while (data.ends_with('=')) data.remove_suffix(1);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return !data.empty() && data.find_first_not_of(kDigits) == std::string_view::npos;
}

Result<Block> to_block(protocol::Content&& content, const std::string& path) {
  if (auto* text = std::get_if<protocol::TextContent>(&content)) {
    return Block(TextBlock{std::move(text->text)});
  }
  auto& image = std::get<protocol::ImageContent>(content);
  if (!is_image_type(image.media_type)) {
    return make_error(Code::invalid_input,
                      "expected image/png, image/jpeg, image/gif or image/webp, got \"" +
                          image.media_type.substr(0, 80) + "\"",
                      path + ".mediaType");
  }
  if (!is_base64(image.data)) {
    return make_error(Code::invalid_input, "expected base64, without line breaks", path + ".data");
  }
  return Block(ImageBlock{std::move(image.media_type), std::move(image.data)});
}

Error nothing_asked() {
  return make_error(Code::invalid_input, "the prompt is empty", "params.prompt");
}

}  // namespace

Result<std::vector<Block>> to_blocks(protocol::Prompt prompt) {
  if (auto* text = std::get_if<std::string>(&prompt)) {
    if (ascii::blank(*text)) return nothing_asked();
    return std::vector<Block>{TextBlock{std::move(*text)}};
  }
  std::vector<Block> blocks;
  bool something = false;
  auto& contents = std::get<std::vector<protocol::Content>>(prompt);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    auto block = to_block(std::move(contents[i]), "params.prompt[" + std::to_string(i) + "]");
    if (!block) return block.error();
    const auto* text = std::get_if<TextBlock>(&*block);
    if (text == nullptr || !ascii::blank(text->text)) something = true;
    blocks.push_back(std::move(*block));
  }
  if (!something) return nothing_asked();
  return blocks;
}

}  // namespace agentd::server
