// What holds of any decoder's events, whatever bytes it was given: exactly one end, block numbers
// begun before they are used and ended at most once, all text valid UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

#include "base/utf8.h"
#include "model/reply_decoder.h"

namespace agentd::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

struct Judge {
  std::set<int> begun;
  std::set<int> ended;
  int ends = 0;

  void operator()(const model::BlockBegan& event) { require(begun.insert(event.block).second); }
  void operator()(const model::Delta& event) {
    require(begun.count(event.block) == 1 && ended.count(event.block) == 0);
    require(utf8::valid(event.text));
  }
  void operator()(const model::BlockEnded& event) {
    require(begun.count(event.block) == 1 && ended.insert(event.block).second);
  }
  void operator()(const model::MessageEnded&) { ++ends; }
  void operator()(const model::Failed&) { ++ends; }
  void operator()(const model::MessageBegan&) {}
  void operator()(const model::UsageTold&) {}
  void operator()(const model::StopTold&) {}
};

/// Feeds `bytes` in pieces of `piece` bytes, ends the body, and judges what came out.
inline void judge(model::ReplyDecoder& decoder, std::string_view bytes, std::size_t piece) {
  model::ModelEvents events;
  for (; !bytes.empty() && !decoder.ended(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    decoder.feed(bytes.substr(0, piece), events);
  }
  if (!decoder.ended()) decoder.finish(events, std::nullopt);
  Judge judge;
  for (const model::ModelEvent& event : events) {
    require(judge.ends == 0);
    std::visit(judge, event);
  }
  require(judge.ends == 1);
}

}  // namespace agentd::fuzz
