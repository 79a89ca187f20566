#include "model/usual_chunk.h"

#include <algorithm>

#include "model/json_text.h"
#include "wire/parse.h"

namespace agentd::model {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"content", "reasoning_content", "reasoning"};

// Beside the one piece only what says nothing: the role, nulls, empty strings and lists.
bool says_nothing(std::string_view key, const Json& value) {
  if (key == "role" || value.is_null()) return true;
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.is_array() && value.empty();
}

// The member that is all that `delta` says.
std::optional<ChunkMember> only_member(const Json& delta) {
  std::optional<ChunkMember> found;
  for (const auto& [key, value] : delta.items()) {
    if (says_nothing(key, value)) continue;
    const auto name = std::find(kNames.begin(), kNames.end(), key);
    if (found || name == kNames.end() || !value.is_string()) return std::nullopt;
    found = static_cast<ChunkMember>(name - kNames.begin());
  }
  return found;
}

// The only choice, if the chunk says nothing besides.
const Json* only_choice(const Json& chunk) {
  const Json* choices = wire::member(chunk, "choices");
  if (choices == nullptr || !choices->is_array() || choices->size() != 1) return nullptr;
  for (const char* other : {"usage", "x_groq", "error"}) {
    if (wire::member(chunk, other) != nullptr) return nullptr;
  }
  const Json& choice = choices->front();
  if (!wire::string_member(choice, "finish_reason").value_or("").empty()) return nullptr;
  for (const char* other : {"usage", "error", "message"}) {
    if (wire::member(choice, other) != nullptr) return nullptr;
  }
  return wire::integer_member(choice, "index").value_or(0) == 0 ? &choice : nullptr;
}

// The same string in the text: where its value stands, quotes included.
std::optional<std::string_view> value_in(std::string_view data, std::string_view name) {
  const auto choices = find_member(data, "choices");
  if (!choices) return std::nullopt;
  const auto each = elements(*choices);
  const auto delta = each.empty() ? std::nullopt : find_member(each.front(), "delta");
  return delta ? find_member(*delta, name) : std::nullopt;
}

}  // namespace

std::optional<UsualChunk::Piece> UsualChunk::read(std::string_view data) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    if (frame.before.empty() || !data.starts_with(frame.before)) continue;
    Piece piece{static_cast<ChunkMember>(i), {}};
    const auto rest = read_string(data.substr(frame.before.size()), piece.text);
    if (rest && *rest == frame.behind) return piece;
  }
  return std::nullopt;
}

void UsualChunk::learn(std::string_view data, const Json& chunk) {
  const Json* choice = only_choice(chunk);
  const Json* delta = choice == nullptr ? nullptr : wire::member(*choice, "delta");
  const auto member = delta == nullptr ? std::nullopt : only_member(*delta);
  if (!member) return;
  const auto index = static_cast<std::size_t>(*member);
  const auto value = value_in(data, kNames[index]);
  if (!value || value->size() < 2 || value->front() != '"') return;
  const auto begin = static_cast<std::size_t>(value->data() - data.data());
  frames_[index].before = data.substr(0, begin + 1);
  frames_[index].behind = data.substr(begin + value->size());
}

}  // namespace agentd::model
