#include "tools/image.h"

namespace agentd::tools {
namespace {

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint32_t big16(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

std::uint32_t big32(std::string_view bytes, std::size_t at) {
  return big16(bytes, at) << 16 | big16(bytes, at + 2);
}

std::uint32_t little16(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8;
}

std::uint32_t little24(std::string_view bytes, std::size_t at) {
  return little16(bytes, at) | byte_at(bytes, at + 2) << 16;
}

// The IHDR chunk is the first one by rule.
std::optional<ImageSize> png_size(std::string_view bytes) {
  if (bytes.size() < 24 || bytes.substr(12, 4) != "IHDR") return std::nullopt;
  return ImageSize{big32(bytes, 16), big32(bytes, 20)};
}

std::optional<ImageSize> gif_size(std::string_view bytes) {
  if (bytes.size() < 10) return std::nullopt;
  return ImageSize{little16(bytes, 6), little16(bytes, 8)};
}

// Start-of-frame markers are C0 to CF without C4 (tables), C8 (reserved) and CC (coding).
bool jpeg_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

std::optional<ImageSize> jpeg_size(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size()) {
    if (byte_at(bytes, at) != 0xFF) return std::nullopt;
    const std::uint32_t marker = byte_at(bytes, at + 1);
    if (marker == 0xFF) {  // fill byte
      ++at;
      continue;
    }
    if (jpeg_frame(marker)) return ImageSize{big16(bytes, at + 7), big16(bytes, at + 5)};
    at += 2;
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;  // no length follows
    const std::uint32_t length = big16(bytes, at);
    if (length < 2) return std::nullopt;
    at += length;
  }
  return std::nullopt;
}

// Three flavours: lossy (VP8), lossless (VP8L: two 14 bit fields), extended (VP8X: 24 bit fields).
std::optional<ImageSize> webp_size(std::string_view bytes) {
  if (bytes.size() < 30) return std::nullopt;
  const std::string_view flavour = bytes.substr(12, 4);
  if (flavour == "VP8 ") {
    return ImageSize{little16(bytes, 26) & 0x3FFF, little16(bytes, 28) & 0x3FFF};
  }
  if (flavour == "VP8L") {
    const std::uint32_t bits = little24(bytes, 21) | byte_at(bytes, 24) << 24;
    return ImageSize{(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  if (flavour == "VP8X") return ImageSize{little24(bytes, 24) + 1, little24(bytes, 27) + 1};
  return std::nullopt;
}

std::string megabytes(std::uint64_t bytes) {
  const std::uint64_t tenths = (bytes * 10 + (1u << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

}  // namespace

std::optional<ImageType> image_type(std::string_view bytes) {
  if (bytes.substr(0, 8) == "\x89PNG\r\n\x1A\n") return ImageType::png;
  if (bytes.substr(0, 3) == "\xFF\xD8\xFF") return ImageType::jpeg;
  if (bytes.substr(0, 6) == "GIF87a" || bytes.substr(0, 6) == "GIF89a") return ImageType::gif;
  if (bytes.size() >= 12 && bytes.substr(0, 4) == "RIFF" && bytes.substr(8, 4) == "WEBP") {
    return ImageType::webp;
  }
  return std::nullopt;
}

std::string_view media_type(ImageType type) {
  switch (type) {
    case ImageType::png:
      return "image/png";
    case ImageType::jpeg:
      return "image/jpeg";
    case ImageType::gif:
      return "image/gif";
    case ImageType::webp:
      return "image/webp";
  }
  return "image/png";
}

std::optional<ImageSize> image_size(ImageType type, std::string_view bytes) {
  switch (type) {
    case ImageType::png:
      return png_size(bytes);
    case ImageType::jpeg:
      return jpeg_size(bytes);
    case ImageType::gif:
      return gif_size(bytes);
    case ImageType::webp:
      return webp_size(bytes);
  }
  return std::nullopt;
}

Result<Image> make_image(ImageType type, std::string_view bytes) {
  if (bytes.size() > kMaxImageBytes) {
    return make_error(Code::too_large, "the image has " + megabytes(bytes.size()) +
                                           ", the API takes at most " + megabytes(kMaxImageBytes) +
                                           "; make a smaller copy and read that");
  }
  const std::optional<ImageSize> size = image_size(type, bytes);
  if (!size || size->width == 0 || size->height == 0) {
    return make_error(Code::invalid_input, "it begins like an image (" +
                                               std::string(media_type(type)) +
                                               ") but its header is damaged or cut off");
  }
  if (size->width > kMaxImageSide || size->height > kMaxImageSide) {
    return make_error(Code::too_large, "the image has " + std::to_string(size->width) + " x " +
                                           std::to_string(size->height) +
                                           " pixels, the API takes at most " +
                                           std::to_string(kMaxImageSide) +
                                           " a side; make a smaller copy and read that");
  }
  return Image{{std::string(media_type(type)), base64(bytes)}, *size};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = byte_at(bytes, at) << 16;
    if (have > 1) group |= byte_at(bytes, at + 1) << 8;
    if (have > 2) group |= byte_at(bytes, at + 2);
    out += kAlphabet[group >> 18];
    out += kAlphabet[group >> 12 & 63];
    out += have > 1 ? kAlphabet[group >> 6 & 63] : '=';
    out += have > 2 ? kAlphabet[group & 63] : '=';
  }
  return out;
}

}  // namespace agentd::tools
