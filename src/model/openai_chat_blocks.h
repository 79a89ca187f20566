// ChatBlocks: the content blocks of one streamed Chat Completions reply. The wire has no blocks: it
// has pieces of text, pieces of reasoning, and pieces of calls that are told apart by an index, an
// id or neither, none of which can be relied on. Turns them into BlockBegan, Delta and BlockEnded.
//
// A call is closed by the end of the reply only: that its arguments parse already, or that the next
// call began, says nothing. It begins once it has a name and the first of its arguments, or when
// something else begins, for names come in pieces too. Owned by the decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "message/message.h"
#include "model/event.h"

namespace agentd::model {

/// One entry of `tool_calls`. What is empty or null on the wire is absent.
struct CallPiece {
  std::optional<std::int64_t> index;
  std::string id;
  std::string name;
  std::string arguments;
};

CallPiece read_call_piece(const Json& entry);

class ChatBlocks {
 public:
  /// Where events go until the next call; the decoder points it at its caller's batch.
  void emit_into(ModelEvents& out) { out_ = &out; }

  /// A piece of text or thinking.
  void prose(DeltaKind kind, std::string piece);
  /// The pieces of one chunk that have no index are pieces of different calls.
  void calls(std::vector<CallPiece> pieces);

  /// The reply is over. `cut`: by a limit, so that a call that is its last block stays open.
  void end_all(bool cut);

  bool any() const { return next_block_ > 0 || !calls_.empty(); }

 private:
  struct Call {
    std::optional<std::int64_t> index;
    std::string id;
    std::string name;
    std::string arguments;     // all of them
    std::size_t told = 0;      // how much of them went out as deltas
    std::optional<int> block;  // absent: not begun yet
    bool in_this_chunk = false;
  };
  struct Prose {
    int block = 0;
    DeltaKind kind = DeltaKind::text;
  };

  Call& call_for(const CallPiece& piece);
  Call* latest(const CallPiece& piece);
  void add(Call& call, CallPiece piece);
  void begin(Call& call);
  void begin_named();
  void tell_arguments(Call& call);
  void tell_rest(Call& call);
  void end_prose();

  ModelEvents* out_ = nullptr;
  std::vector<Call> calls_;
  std::optional<Prose> prose_;  // open, and the block that began last
  int next_block_ = 0;
};

}  // namespace agentd::model
