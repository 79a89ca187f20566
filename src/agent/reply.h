// Reply: what the model streamed in one attempt, put together from ModelEvents: content blocks in
// order, the stop that was told, how it ended. A value the run's thread fills; no I/O, no events.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "message/message.h"
#include "model/event.h"

namespace agentd::agent {

struct ReplyBlock {
  model::BlockKind kind = model::BlockKind::text;
  std::string block_id;  // how clients know it
  std::string text;      // text, thinking, or the JSON text of a call's input
  std::string data;      // redacted_thinking, opaque
  std::optional<std::string> signature;
  bool ended = false;       // closed by its own stop
  std::string tool_use_id;  // unique over the session
  std::string tool_name;
  Json input = Json::object();  // tool_use: what history keeps; stays {} if it never became whole
};

class Reply {
 public:
  explicit Reply(std::string id_prefix) : id_prefix_(std::move(id_prefix)) {}

  /// The block that `began` opens. `tool_use_id` is the one to use, made unique by the caller.
  ReplyBlock& begin(const model::BlockBegan& began, std::string tool_use_id);
  ReplyBlock& append(const model::Delta& delta);
  ReplyBlock& end(const model::BlockEnded& ended);

  ReplyBlock& block(int number) { return blocks_.at(static_cast<std::size_t>(number)); }
  const std::vector<ReplyBlock>& blocks() const { return blocks_; }

  bool has_calls() const;
  std::string text() const;  // what was said, without reasoning
  /// Neither text nor a call: thinking alone does not count as an answer.
  bool empty() const;

  std::optional<model::FailureClass> failure_class() const;

  /// What history keeps: every block that is whole, text also where it was cut, calls always (each
  /// gets its result). Thinking that was cut, or carries no signature while `drop_unsigned`, goes.
  Message message(bool drop_unsigned) const;
  /// Block `number` as history keeps it, if it has ended.
  std::optional<Block> whole_block(int number) const;

  std::optional<model::StopTold> stop;
  std::optional<model::ModelFailure> failure;
  bool ended = false;      // MessageEnded or Failed came
  bool kept = true;        // false: discarded, it leaves no trace in history
  std::size_t bytes = 0;   // of all its deltas
  bool delivered = false;  // the client saw something of it
  Usage usage;

 private:
  std::string id_prefix_;
  std::vector<ReplyBlock> blocks_;
};

}  // namespace agentd::agent
