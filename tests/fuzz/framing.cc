// Fuzz: any bytes through the framing, in pieces of any size. Whatever comes, it ends and gives the
// same messages as when fed whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "rpc/framing.h"

namespace {

using agentd::rpc::Frame;
using agentd::rpc::FrameReader;
using agentd::rpc::Framing;

std::vector<std::string> frames(std::string_view bytes, std::size_t piece, Framing framing) {
  FrameReader reader(framing, 1 << 16);
  std::vector<std::string> found;
  for (std::size_t at = 0; at <= bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (const auto frame = reader.next()) {
      if (frame->kind == Frame::Kind::message) found.push_back(frame->text);
    }
  }
  reader.finish();
  while (const auto frame = reader.next()) {
    if (frame->kind == Frame::Kind::message) found.push_back(frame->text);
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Framing framing = data[0] % 2 == 0 ? Framing::headers : Framing::lines;
  const std::size_t piece = data[1] % 16 + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (frames(bytes, piece, framing) != frames(bytes, bytes.size() + 1, framing)) std::abort();
  return 0;
}
