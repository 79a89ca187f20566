#include "model/reply_blocks.h"

#include <algorithm>
#include <utility>

#include "model/json_text.h"
#include "wire/parse.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

BlockKind kind_of(DeltaKind kind) {
  switch (kind) {
    case DeltaKind::text:
      return BlockKind::text;
    case DeltaKind::thinking:
      return BlockKind::thinking;
    case DeltaKind::input:
      return BlockKind::tool_use;
  }
  return BlockKind::text;
}

// More members than this no block of a model has; what comes above it is left out, so that they can
// be looked through for each delta.
constexpr std::size_t kMaxMembers = 32;

bool json_object(std::string_view text) {
  const auto parsed = wire::parse(text);
  return parsed && parsed->is_object();
}

// `key` as it stands between the quotes in JSON.
std::string spelled(std::string_view key) {
  std::string quoted;
  wire::append_string(quoted, key);
  return quoted.substr(1, quoted.size() - 2);
}

// The string member `key` of the JSON object `object`, made longer.
void append_to_member(std::string& object, std::string_view key, std::string_view piece) {
  std::string text;
  if (const auto old = find_member(object, key); old && !old->empty() && old->front() == '"') {
    if (!read_string(old->substr(1), text)) return;
  }
  text.append(piece);
  std::string quoted;
  wire::append_string(quoted, text);
  set_member(object, key, quoted);
}

}  // namespace

void ReplyBlocks::start(int index, std::string_view raw, const Json& block) {
  for (Slot& slot : slots_) {
    if (slot.index == index && slot.state == State::open) end(slot);  // its stop never came
  }
  const std::string type = wire::text_member(block, "type");
  if (type == "text") {
    begin(index, BlockKind::text);
    text(index, DeltaKind::text, wire::text_member(block, "text"));
  } else if (type == "thinking") {
    Slot& slot = begin(index, BlockKind::thinking);
    if (std::string given = wire::text_member(block, "signature"); !given.empty()) {
      slot.signature = std::move(given);
    }
    text(index, DeltaKind::thinking, wire::text_member(block, "thinking"));
  } else if (type == "redacted_thinking") {
    begin(index, BlockKind::redacted_thinking).data = wire::text_member(block, "data");
  } else if (type == "tool_use") {
    begin_tool_use(index, raw, block);
  } else {
    begin(index, BlockKind::opaque).data = raw;
  }
}

void ReplyBlocks::begin_tool_use(int index, std::string_view raw, const Json& block) {
  Slot& slot = begin(index, BlockKind::tool_use, wire::text_member(block, "id"),
                     wire::text_member(block, "name"));
  const Json* given = wire::member(block, "input");
  if (given != nullptr && given->is_object() && !given->empty()) {
    slot.start_input = find_member(raw, "input").value_or("");
  }
}

void ReplyBlocks::text(int index, DeltaKind kind, std::string piece) {
  if (piece.empty()) return;
  Slot* slot = find_open(index, kind_of(kind));
  if (slot == nullptr) {
    slot = find_open(index, BlockKind::opaque);
    if (slot != nullptr) {
      Member* member = member_of(*slot, kind == DeltaKind::text ? "text" : "thinking");
      if (member != nullptr) member->text.append(piece);
      return;
    }
    slot = &begin(index, kind_of(kind));
  }
  emit_delta(*slot, kind, std::move(piece));
}

void ReplyBlocks::input(int index, std::string piece) {
  if (piece.empty()) return;
  const auto takes_input = [&](const Slot& slot) {
    return slot.index == index && slot.state != State::ended &&
           (slot.kind == BlockKind::tool_use || slot.kind == BlockKind::opaque);
  };
  const auto found = std::find_if(slots_.rbegin(), slots_.rend(), takes_input);
  if (found == slots_.rend()) return;  // nameless: nothing could be called with it
  if (found->kind == BlockKind::opaque) {
    found->input.append(piece);
  } else {
    emit_delta(*found, DeltaKind::input, std::move(piece));
  }
}

void ReplyBlocks::signature(int index, std::string whole) {
  Slot* slot = find_open(index, BlockKind::thinking);
  if (slot == nullptr) slot = &begin(index, BlockKind::thinking);
  slot->signature = std::move(whole);
}

void ReplyBlocks::other_delta(int index, const Json& delta) {
  // A citation of a text block has no place above the border, and may be left out when it goes
  // back. What belongs to a block we do not know is set in it under the name it came with.
  Slot* slot = find_open(index, BlockKind::opaque);
  if (slot == nullptr || !delta.is_object()) return;
  for (const auto& [key, value] : delta.items()) {
    if (key == "type") continue;
    Member* member = member_of(*slot, spelled(key));
    if (member == nullptr) continue;
    member->value.emplace();
    wire::append_json(*member->value, value);
    member->text.clear();
  }
}

ReplyBlocks::Member* ReplyBlocks::member_of(Slot& slot, std::string_view key) {
  for (Member& member : slot.members) {
    if (member.key == key) return &member;
  }
  if (slot.members.size() == kMaxMembers) return nullptr;
  slot.members.push_back({std::string(key), {}, {}});
  return &slot.members.back();
}

void ReplyBlocks::write_members(Slot& slot) {
  for (const Member& member : slot.members) {
    if (member.value) set_member(slot.data, member.key, *member.value);
    if (!member.text.empty()) append_to_member(slot.data, member.key, member.text);
  }
}

void ReplyBlocks::stop(int index) {
  for (Slot& slot : slots_) {
    if (slot.index != index || slot.state != State::open) continue;
    if (slot.kind == BlockKind::tool_use && !slot.has_delta && slot.start_input.empty()) {
      slot.state = State::stopped_empty;
    } else {
      end(slot);
    }
  }
}

void ReplyBlocks::end_all() {
  for (Slot& slot : slots_) end(slot);
}

ReplyBlocks::Slot& ReplyBlocks::begin(int index, BlockKind kind, std::string id, std::string name) {
  end_stopped_empty();
  Slot slot;
  slot.index = index;
  slot.block = next_block_++;
  slot.kind = kind;
  out_->push_back(BlockBegan{slot.block, kind, std::move(id), std::move(name)});
  // Only the latest block of an index can still hear of it, so ended ones may go.
  std::erase_if(slots_, [](const Slot& old) { return old.state == State::ended; });
  slots_.push_back(std::move(slot));
  return slots_.back();
}

void ReplyBlocks::end(Slot& slot) {
  if (slot.state == State::ended) return;
  if (slot.kind == BlockKind::tool_use && !slot.has_delta && !slot.start_input.empty()) {
    emit_delta(slot, DeltaKind::input, std::move(slot.start_input));
  }
  write_members(slot);
  if (slot.kind == BlockKind::opaque && json_object(slot.input)) {
    set_member(slot.data, "input", slot.input);
  }
  slot.state = State::ended;
  out_->push_back(BlockEnded{slot.block, std::move(slot.signature), std::move(slot.data)});
}

void ReplyBlocks::end_stopped_empty() {
  for (Slot& slot : slots_) {
    if (slot.state == State::stopped_empty) end(slot);
  }
}

ReplyBlocks::Slot* ReplyBlocks::find_open(int index, BlockKind kind) {
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) {
    if (slot->index == index && slot->kind == kind && slot->state == State::open) return &*slot;
  }
  return nullptr;
}

void ReplyBlocks::emit_delta(Slot& slot, DeltaKind kind, std::string piece) {
  slot.has_delta = true;
  append_delta(*out_, {slot.block, kind, std::move(piece)});
}

}  // namespace agentd::model
