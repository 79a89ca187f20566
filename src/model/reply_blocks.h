// ReplyBlocks: the content blocks of one streamed Anthropic reply. The wire names blocks by an
// index that gateways repeat, forget to open and forget to close; above the border they are
// numbered in the order they began. Turns what the wire says about blocks into BlockBegan, Delta
// and BlockEnded. Owned by the decoder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "message/message.h"
#include "model/event.h"

namespace agentd::model {

class ReplyBlocks {
 public:
  /// Where events go until the next call; the decoder points it at its caller's batch.
  void emit_into(ModelEvents& out) { out_ = &out; }

  /// content_block_start: the block as JSON text and as a tree.
  void start(int index, std::string_view raw, const Json& block);
  /// A piece of text or thinking, of input, a signature, any other delta.
  void text(int index, DeltaKind kind, std::string piece);
  void input(int index, std::string piece);
  void signature(int index, std::string whole);
  void other_delta(int index, const Json& delta);
  /// content_block_stop.
  void stop(int index);

  /// The reply is whole: what is still open is ended.
  void end_all();
  /// Another message began in the middle of this one: open blocks stay as they are, unfinished.
  void abandon() { slots_.clear(); }

  bool any() const { return next_block_ > 0; }
  /// The index of the block begun last: what an event without an index means.
  int last_index() const { return slots_.empty() ? 0 : slots_.back().index; }

 private:
  // A block with no input yet stays stopped_empty until the reply has moved on: some endpoints
  // send the input after the stop.
  enum class State { open, stopped_empty, ended };

  // What deltas said of one member of an opaque block: a value, and text that follows it. Put into
  // the block once, at its end, as a member's text is read anew each time it grows.
  struct Member {
    std::string key;  // as it stands between the quotes
    std::optional<std::string> value;
    std::string text;
  };

  struct Slot {
    int index = 0;
    int block = 0;
    BlockKind kind = BlockKind::text;
    State state = State::open;
    bool has_delta = false;
    std::string start_input;      // tool_use: what came with the start; deltas win over it
    std::string input;            // opaque: joined input deltas
    std::vector<Member> members;  // opaque: what other deltas said, by the order of the first
    std::optional<std::string> signature;
    std::string data;  // redacted_thinking: its data; opaque: the block as it came
  };

  Slot& begin(int index, BlockKind kind, std::string id = {}, std::string name = {});
  void begin_tool_use(int index, std::string_view raw, const Json& block);
  static Member* member_of(Slot& slot, std::string_view key);
  static void write_members(Slot& slot);
  void end(Slot& slot);
  void end_stopped_empty();
  Slot* find_open(int index, BlockKind kind);
  void emit_delta(Slot& slot, DeltaKind kind, std::string piece);

  ModelEvents* out_ = nullptr;
  std::vector<Slot> slots_;
  int next_block_ = 0;
};

}  // namespace agentd::model
