// Images for the model: recognised by their first bytes, never by their name, measured without
// decoding them, and refused where the API would refuse the whole request for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/message.h"

namespace agentd::tools {

enum class ImageType { png, jpeg, gif, webp };

/// By the magic bytes; a dozen of them are enough.
std::optional<ImageType> image_type(std::string_view bytes);

std::string_view media_type(ImageType type);

struct ImageSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// Nullopt if the header is damaged.
std::optional<ImageSize> image_size(ImageType type, std::string_view bytes);

/// Limits of the Messages API: pixels a side, and base64 bytes (the lower one, of its cloud
/// variants, so that the same history fits everywhere).
inline constexpr std::uint32_t kMaxImageSide = 8000;
inline constexpr std::uint64_t kMaxImageBase64 = 5u << 20;
inline constexpr std::uint64_t kMaxImageBytes = kMaxImageBase64 / 4 * 3;

struct Image {
  ImageBlock block;
  ImageSize size;
};

/// The block for a whole image file, or why the API would not take it.
Result<Image> make_image(ImageType type, std::string_view bytes);

std::string base64(std::string_view bytes);

}  // namespace agentd::tools
