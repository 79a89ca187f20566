#include "tools/text_file.h"

#include <algorithm>
#include <array>

namespace agentd::tools {
namespace {

constexpr std::size_t kSample = 8 * 1024;

bool starts_with(std::string_view content, std::string_view start) {
  return content.substr(0, start.size()) == start;
}

bool utf16_mark(std::string_view content) {
  return starts_with(content, "\xFF\xFE") || starts_with(content, "\xFE\xFF");
}

// Control characters that ordinary text does not hold. ESC is allowed: logs are full of colours.
bool odd_control(unsigned char byte) {
  return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' &&
         byte != '\b' && byte != 0x1B;
}

struct Signature {
  std::string_view bytes;
  std::string_view name;
};

constexpr std::array<Signature, 9> kSignatures = {
    {{"%PDF-", "a PDF document"},
     {"\x7F"
      "ELF",
      "an ELF program or library"},
     {"PK\x03\x04", "a ZIP archive (or a document in one)"},
     {"\x1F\x8B", "gzip data"},
     {"\xFD"
      "7zXZ",
      "xz data"},
     {"BZh", "bzip2 data"},
     {"\x28\xB5\x2F\xFD", "zstd data"},
     {"SQLite format 3", "an SQLite database"},
     {"!<arch>", "a static library"}}};

}  // namespace

ContentKind content_kind(std::string_view content) {
  const std::string_view sample = content.substr(0, kSample);
  if (utf16_mark(sample)) return ContentKind::utf16;
  if (starts_with(sample, "%PDF-")) return ContentKind::binary;
  if (sample.find('\0') != std::string_view::npos) return ContentKind::binary;
  const auto odd = std::count_if(sample.begin(), sample.end(),
                                 [](char c) { return odd_control(static_cast<unsigned char>(c)); });
  // 30 %: the measure that peers use.
  return static_cast<std::size_t>(odd) * 10 > sample.size() * 3 ? ContentKind::binary
                                                                : ContentKind::text;
}

std::string describe_binary(std::string_view content) {
  if (utf16_mark(content)) return "a UTF-16 text file";
  for (const Signature& signature : kSignatures) {
    if (starts_with(content, signature.bytes)) return std::string(signature.name);
  }
  return "a binary file";
}

bool has_bom(std::string_view content) {
  return starts_with(content, kUtf8Bom);
}

std::string_view without_bom(std::string_view content) {
  return has_bom(content) ? content.substr(kUtf8Bom.size()) : content;
}

LineEnds line_ends(std::string_view content) {
  bool lf = false;
  bool crlf = false;
  for (std::size_t at = content.find('\n'); at != std::string_view::npos;
       at = content.find('\n', at + 1)) {
    (at > 0 && content[at - 1] == '\r' ? crlf : lf) = true;
    if (lf && crlf) return LineEnds::mixed;
  }
  if (crlf) return LineEnds::crlf;
  return lf ? LineEnds::lf : LineEnds::none;
}

std::string to_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) out += '\r';
    out += text[i];
  }
  return out;
}

}  // namespace agentd::tools
