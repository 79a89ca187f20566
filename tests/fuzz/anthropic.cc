// Fuzz: any bytes as the body of a model's answer. Whatever comes, there is exactly one end, block
// numbers are begun before they are used and ended at most once, and all text is valid UTF-8.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/utf8.h"
#include "model/anthropic_decoder.h"

namespace {

using namespace agentd::model;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Judge {
  std::set<int> begun;
  std::set<int> ended;
  int ends = 0;

  void operator()(const BlockBegan& event) { require(begun.insert(event.block).second); }
  void operator()(const Delta& event) {
    require(begun.count(event.block) == 1 && ended.count(event.block) == 0);
    require(agentd::utf8::valid(event.text));
  }
  void operator()(const BlockEnded& event) {
    require(begun.count(event.block) == 1 && ended.insert(event.block).second);
  }
  void operator()(const MessageEnded&) { ++ends; }
  void operator()(const Failed&) { ++ends; }
  void operator()(const MessageBegan&) {}
  void operator()(const UsageTold&) {}
  void operator()(const StopTold&) {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  AnthropicDecoder decoder;
  ModelEvents events;
  for (; !bytes.empty() && !decoder.ended(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    decoder.feed(bytes.substr(0, piece), events);
  }
  if (!decoder.ended()) decoder.finish(events);
  Judge judge;
  for (const ModelEvent& event : events) {
    require(judge.ends == 0);
    std::visit(judge, event);
  }
  require(judge.ends == 1);
  return 0;
}
