#include "context/tail.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "context/attachment.h"
#include "context/tokens.h"

namespace agentd::context {
namespace {

// A user's message that answers no calls: where a round begins.
bool begins_round(const Message& message) {
  return message.role == Role::user && !has_results(message);
}

// The first index from `from` on at which a view may begin and `accept` holds, and which leaves
// something; view.size() if there is none.
template <class Accept>
std::size_t next_cut(const View& view, std::size_t from, Accept accept) {
  for (std::size_t i = from; i < view.size(); ++i) {
    if (!has_results(*view[i]) && accept(*view[i])) return i;
  }
  return view.size();
}

}  // namespace

std::size_t safe_cut(const View& view, std::size_t index) {
  index = std::min(index, view.size());
  if (index == 0) return 0;
  const bool open = index == view.size() && has_calls(*view.back());
  const bool parts = index < view.size() && has_results(*view[index]);
  return open || parts ? index - 1 : index;
}

std::size_t choose_tail(const View& view, std::int64_t budget) {
  std::size_t kept = view.size();
  std::int64_t sum = 0;
  for (std::size_t i = view.size(); i-- > 0;) {
    sum += estimate(*view[i]);
    if (sum > budget) break;
    if (!has_results(*view[i])) kept = i;
  }
  return kept;
}

std::size_t rounds_to_drop(const View& view, std::int64_t excess) {
  std::size_t enough = 0;
  for (std::int64_t freed = 0; enough < view.size() && freed < excess; ++enough) {
    freed += estimate(*view[enough]);
  }
  const std::size_t round = next_cut(view, enough, begins_round);
  if (round < view.size()) return round;
  const auto any = [](const Message&) { return true; };
  const std::size_t reply = next_cut(view, enough, any);
  if (reply < view.size()) return reply;
  std::size_t last = 0;
  for (std::size_t i = 0; i < view.size(); i = next_cut(view, i + 1, any)) last = i;
  return last;
}

std::optional<Request> last_request(const View& view) {
  for (std::size_t i = view.size(); i-- > 0;) {
    if (view[i]->role != Role::user) continue;
    Request said{i, {}, {}};
    for (const Block& block : view[i]->blocks) {
      if (const auto* image = std::get_if<ImageBlock>(&block)) said.images.push_back(*image);
      const auto* text = std::get_if<TextBlock>(&block);
      if (text == nullptr || added_by_engine(text->text)) continue;
      if (!said.text.empty()) said.text += "\n\n";
      said.text += text->text;
    }
    if (!said.text.empty() || !said.images.empty()) return said;
  }
  return std::nullopt;
}

}  // namespace agentd::context
