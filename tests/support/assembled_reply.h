// AssembledReply: what a stream of ModelEvents amounts to, for tests of model/. Checks the promises
// of model/event.h on the way: `broken` says which one was not kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/event.h"

namespace agentd::test {

struct AssembledBlock {
  model::BlockKind kind = model::BlockKind::text;
  std::string text;  // text, thinking, or the JSON text of an input
  std::string tool_use_id;
  std::string tool_name;
  bool ended = false;
  std::optional<std::string> signature;
  std::string data;
  bool operator==(const AssembledBlock&) const = default;
};

struct AssembledReply {
  void take(const model::ModelEvents& events);
  void take(const model::ModelEvent& event);

  std::vector<AssembledBlock> blocks;
  std::string model;
  Usage usage;
  std::optional<model::StopTold> stop;
  bool ended = false;  // MessageEnded or Failed came
  std::optional<model::ModelFailure> failure;
  std::vector<std::string> broken;

  /// Everything in one comparable text.
  std::string summary() const;
};

}  // namespace agentd::test
