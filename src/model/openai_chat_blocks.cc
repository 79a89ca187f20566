#include "model/openai_chat_blocks.h"

#include <algorithm>
#include <utility>

#include "wire/parse.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

bool begins_object(std::string_view arguments) {
  const std::size_t at = arguments.find_first_not_of(kBlank);
  return at != std::string_view::npos && arguments[at] == '{';
}

bool is_object(std::string_view arguments) {
  const auto parsed = wire::parse(arguments);
  return parsed && parsed->is_object();
}

// Some endpoints send the arguments as an object. One without members is how some begin a call.
std::string arguments_of(const Json* arguments) {
  if (arguments == nullptr || (arguments->is_structured() && arguments->empty())) return {};
  if (arguments->is_string()) return arguments->get<std::string>();
  std::string text;
  wire::append_json(text, *arguments);
  return text;
}

// Some name the same call again with each piece: only a call that is whole can be followed by
// another that is told apart by nothing but its name.
bool begins_another(const std::string& id, const std::string& name, const std::string& so_far,
                    const CallPiece& piece) {
  if (piece.name.empty() || (!piece.id.empty() && piece.id == id)) return false;
  if (piece.name == name && !begins_object(piece.arguments)) return false;
  return so_far.find_last_of('}') != std::string::npos && is_object(so_far);
}

// A JSON text that holds the JSON text of an object: unwrapped once.
std::string unwrapped(std::string_view arguments) {
  const auto outer = wire::parse(arguments);
  if (outer && outer->is_null()) return {};
  if (outer && outer->is_string()) {
    const auto& inner = outer->get_ref<const std::string&>();
    if (is_object(inner)) return inner;
  }
  return std::string(arguments);
}

}  // namespace

CallPiece read_call_piece(const Json& entry) {
  static const Json kNothing = Json::object();
  const Json* found = wire::member(entry, "function");
  const Json& function = found == nullptr ? kNothing : *found;
  CallPiece piece;
  piece.index = wire::integer_member(entry, "index");
  piece.id = wire::text_member(entry, "id");
  piece.name = wire::text_member(function, "name");
  piece.arguments = arguments_of(wire::member(function, "arguments"));
  return piece;
}

void ChatBlocks::prose(DeltaKind kind, std::string piece) {
  if (piece.empty()) return;
  begin_named();
  if (!prose_ || prose_->kind != kind) {
    end_prose();
    prose_ = Prose{next_block_++, kind};
    const bool text = kind == DeltaKind::text;
    out_->push_back(
        BlockBegan{prose_->block, text ? BlockKind::text : BlockKind::thinking, {}, {}});
  }
  append_delta(*out_, {prose_->block, kind, std::move(piece)});
}

void ChatBlocks::calls(std::vector<CallPiece> pieces) {
  for (Call& call : calls_) call.in_this_chunk = false;
  for (CallPiece& piece : pieces) {
    Call& call = call_for(piece);
    call.in_this_chunk = true;
    add(call, std::move(piece));
  }
}

// An id that is new begins a call, unless all the piece has besides is more arguments: then the
// endpoint makes up an id for each piece.
ChatBlocks::Call& ChatBlocks::call_for(const CallPiece& piece) {
  Call* call = latest(piece);
  bool another = call == nullptr;
  if (!another && !piece.id.empty() && !call->id.empty() && piece.id != call->id) {
    another = !piece.name.empty() || piece.arguments.empty();
  } else if (!another) {
    const bool beside = call->in_this_chunk && piece.id.empty() && !piece.name.empty();
    another = beside || begins_another(call->id, call->name, call->arguments, piece);
  }
  if (!another) return *call;
  begin_named();
  calls_.emplace_back().index = piece.index;
  return calls_.back();
}

// The call that the piece names by its index, by its id, or by saying nothing.
ChatBlocks::Call* ChatBlocks::latest(const CallPiece& piece) {
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    if (piece.index && call->index == piece.index) return &*call;
    if (!piece.index && !piece.id.empty() && call->id == piece.id) return &*call;
  }
  return piece.index || calls_.empty() ? nullptr : &calls_.back();
}

void ChatBlocks::add(Call& call, CallPiece piece) {
  if (call.id.empty() && !call.block) call.id = std::move(piece.id);
  if (call.name != piece.name && !call.block) call.name += piece.name;
  call.arguments += piece.arguments;
  if (!call.block && !call.name.empty() && !call.arguments.empty()) begin(call);
  tell_arguments(call);
}

void ChatBlocks::begin(Call& call) {
  end_prose();
  call.block = next_block_++;
  out_->push_back(BlockBegan{*call.block, BlockKind::tool_use, call.id, call.name});
}

// What comes next moves the reply on, so that these names are whole.
void ChatBlocks::begin_named() {
  for (Call& call : calls_) {
    if (!call.block && !call.name.empty()) begin(call);
  }
}

// What does not begin as an object may have to be unwrapped, which takes all of it.
void ChatBlocks::tell_arguments(Call& call) {
  if (!call.block || call.told == call.arguments.size() || !begins_object(call.arguments)) return;
  append_delta(*out_, {*call.block, DeltaKind::input, call.arguments.substr(call.told)});
  call.told = call.arguments.size();
}

void ChatBlocks::tell_rest(Call& call) {
  tell_arguments(call);
  if (call.told == call.arguments.size()) return;
  std::string rest = unwrapped(call.arguments);
  if (!rest.empty()) append_delta(*out_, {*call.block, DeltaKind::input, std::move(rest)});
}

void ChatBlocks::end_prose() {
  if (prose_) out_->push_back(BlockEnded{prose_->block, std::nullopt, {}});
  prose_.reset();
}

void ChatBlocks::end_all(bool cut) {
  begin_named();
  for (Call& call : calls_) {
    if (!call.block) begin(call);  // nobody ever named it
  }
  end_prose();
  for (Call& call : calls_) {
    tell_rest(call);
    const bool last = *call.block == next_block_ - 1;
    if (!(cut && last)) out_->push_back(BlockEnded{*call.block, std::nullopt, {}});
  }
}

}  // namespace agentd::model
