#include "tools/image.h"

#include <doctest/doctest.h>

#include <string>

using namespace agentd::tools;
using namespace std::string_literals;

namespace {

std::string png(unsigned char width_high, unsigned char width_low, unsigned char height_low) {
  std::string bytes = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR"s;
  bytes += std::string("\0\0", 2) + static_cast<char>(width_high) + static_cast<char>(width_low);
  bytes += std::string("\0\0\0", 3) + static_cast<char>(height_low);
  return bytes + "rest";
}

const std::string kGif = "GIF89a\x40\x01\xF0\x00"s + "rest";

// SOI, an APP0 of 16 bytes, a fill byte, SOF0 with height 3 and width 258.
const std::string kJpeg = "\xFF\xD8\xFF\xE0\x00\x10"s + std::string(14, 'x') +
                          "\xFF\xFF\xC0\x00\x11\x08\x00\x03\x01\x02\x03"s + std::string(9, '\0');

std::string webp(const std::string& rest) {
  return "RIFF\x20\0\0\0WEBP"s + rest;
}

}  // namespace

TEST_CASE("types are told by the first bytes") {
  CHECK(image_type(png(0, 1, 1)) == ImageType::png);
  CHECK(image_type(kGif) == ImageType::gif);
  CHECK(image_type(kJpeg) == ImageType::jpeg);
  CHECK(image_type(webp("VP8 ")) == ImageType::webp);
  CHECK_FALSE(image_type("RIFF\0\0\0\0WAVE"s));
  CHECK_FALSE(image_type("plain text"));
  CHECK_FALSE(image_type(""));
}

TEST_CASE("sizes are read from the headers") {
  CHECK(image_size(ImageType::png, png(1, 2, 7))->width == 258);
  CHECK(image_size(ImageType::png, png(1, 2, 7))->height == 7);
  CHECK(image_size(ImageType::gif, kGif)->width == 320);
  CHECK(image_size(ImageType::gif, kGif)->height == 240);
  CHECK(image_size(ImageType::jpeg, kJpeg)->width == 258);
  CHECK(image_size(ImageType::jpeg, kJpeg)->height == 3);

  const std::string lossy =
      webp("VP8 "s + std::string(10, '\0') + "\x40\x41\x05\x00"s + "pad");  // scale bits on top
  CHECK(image_size(ImageType::webp, lossy)->width == 0x140);
  CHECK(image_size(ImageType::webp, lossy)->height == 5);
  const std::string lossless = webp("VP8L\0\0\0\0\x2F\x0F\xC0\x01\x00"s + std::string(10, 'p'));
  CHECK(image_size(ImageType::webp, lossless)->width == 16);
  CHECK(image_size(ImageType::webp, lossless)->height == 8);
  const std::string extended = webp("VP8X\0\0\0\0\0\0\0\0\x09\0\0\x13\0\0"s);
  CHECK(image_size(ImageType::webp, extended)->width == 10);
  CHECK(image_size(ImageType::webp, extended)->height == 20);
}

TEST_CASE("cut and damaged headers have no size, at every length") {
  for (const auto& [type, bytes] :
       {std::pair{ImageType::png, png(1, 2, 7)}, std::pair{ImageType::gif, kGif},
        std::pair{ImageType::jpeg, kJpeg}}) {
    for (std::size_t length = 0; length < 10; ++length) {
      CHECK_FALSE(image_size(type, bytes.substr(0, length)));
    }
  }
  CHECK_FALSE(image_size(ImageType::jpeg, "\xFF\xD8\xFF\xE0\x00\x00 too short a segment"s));
  CHECK_FALSE(image_size(ImageType::webp, webp("VP8?" + std::string(30, 'x'))));
}

TEST_CASE("what the API would refuse is refused") {
  const auto good = make_image(ImageType::png, png(0, 10, 10));
  REQUIRE(good);
  CHECK(good->block.media_type == "image/png");
  CHECK(good->block.data.substr(0, 8) == "iVBORw0K");
  CHECK_FALSE(make_image(ImageType::png, png(0x40, 0, 10)));  // 16384 pixels wide
  CHECK_FALSE(make_image(ImageType::png, png(0, 0, 10)));
  CHECK_FALSE(make_image(ImageType::png, "\x89PNG\r\n\x1A\n"s));
  CHECK_FALSE(make_image(ImageType::png, png(0, 10, 10) + std::string(kMaxImageBytes, 'x')));
}

TEST_CASE("base64") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("\xFF\xEF\xBE"s) == "/+++");
}
