#include "context/summary.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "context/attachment.h"
#include "context/normalise.h"
#include "context/summary_request.md.h"
#include "context/tokens.h"

namespace agentd::context {
namespace {

constexpr std::string_view kImageNote = "[An image was here.]";
constexpr std::string_view kShorter =
    "\nYour first try at this summary was cut at the output limit. Write at most about 500 words "
    "this time, what matters most first.\n";

MessagePtr user_message(std::vector<Block> blocks) {
  return std::make_shared<const Message>(Message{Role::user, std::move(blocks)});
}

std::string note(std::string text) {
  return wrapped({AttachmentKind::note, {}, std::move(text)});
}

// At most `tokens` of it, cut between characters.
std::string bounded(std::string_view text, std::int64_t tokens, std::string_view cut_note) {
  if (estimate(text) <= tokens) return std::string(text);
  std::size_t bytes = static_cast<std::size_t>(tokens) * 4;
  while (estimate(utf8::head(text, bytes)) > tokens) bytes -= bytes / 8 + 1;
  return std::string(utf8::head(text, bytes)) + std::string(cut_note);
}

// The text first; images share the room with it.
void append_request(std::vector<Block>& head, const Request& request, std::int64_t budget) {
  head.emplace_back(TextBlock{
      note("The user's last message follows, word for word. Work on it is under way: go on from "
           "where the summary says, do not begin again.")});
  if (!request.text.empty()) {
    head.emplace_back(
        TextBlock{bounded(request.text, budget, "\n[... the rest of this message is cut]")});
  }
  const std::int64_t room = budget - std::min(budget, estimate(request.text));
  const std::size_t kept = std::min(request.images.size(),
                                    static_cast<std::size_t>(room / (kImageTokens + kBlockTokens)));
  for (std::size_t i = 0; i < kept; ++i) head.emplace_back(request.images[i]);
}

std::size_t images_in(const std::vector<Block>& blocks) {
  std::size_t count = 0;
  for (const Block& block : blocks) {
    if (std::holds_alternative<ImageBlock>(block)) ++count;
    const auto* result = std::get_if<ToolResultBlock>(&block);
    if (result == nullptr) continue;
    for (const ToolContent& part : result->content) {
      if (std::holds_alternative<ImageBlock>(part)) ++count;
    }
  }
  return count;
}

}  // namespace

View summary_request(const View& view, const SummaryRequest& request) {
  const std::size_t first = safe_cut(view, request.first);
  View sent;
  if (first > 0) {
    sent.push_back(
        user_message({TextBlock{note("The beginning of the conversation is left out here: it was "
                                     "too long to be summed up.")}}));
  }
  for (std::size_t i = first; i < view.size(); ++i) push_joined(sent, view[i]);
  std::string text(embedded::summary_request);
  if (!request.instructions.empty()) {
    text += "\nThe user wishes this for the summary:\n" + std::string(request.instructions) + "\n";
  }
  if (request.shorter) text += kShorter;
  std::vector<Block> last;
  if (!sent.empty()) last = pair_results({}, tool_use_ids(*sent.back()));
  last.emplace_back(TextBlock{std::move(text)});
  push_joined(sent, user_message(std::move(last)));
  return request.without_images ? with_images_replaced(sent, kImageNote) : sent;
}

bool usable_summary(std::string_view text) {
  return !ascii::blank(text);
}

std::vector<Block> summary_head(std::string_view summary, std::string_view log,
                                const std::optional<Request>& request, const HeadBudget& budget) {
  std::string text =
      "The conversation became too long, and its older messages were replaced by this summary, "
      "which you wrote. It is background, not a new task. Files may have changed since: read what "
      "you rely on. ";
  text += log.empty() ? "The older messages are kept in the session's log."
                      : "The older messages are kept in the session's log, " + std::string(log) +
                            ": look there for a detail that the summary lacks.";
  text += "\n\n" + bounded(summary, budget.summary, "\n[... the summary is cut here]");
  std::vector<Block> head{TextBlock{wrapped({AttachmentKind::summary, {}, std::move(text)})}};
  if (request) append_request(head, *request, budget.request);
  return head;
}

std::optional<Block> lost_images_note(const View& view, std::size_t keep_from,
                                      const std::vector<Block>& head) {
  std::size_t lost = 0;
  const std::size_t end = safe_cut(view, keep_from);
  for (std::size_t i = 0; i < end; ++i) lost += images_in(view[i]->blocks);
  lost -= std::min(lost, images_in(head));
  if (lost == 0) return std::nullopt;
  return TextBlock{note(std::to_string(lost) + (lost == 1 ? " image" : " images") +
                        " of the older messages could not be kept: where you need one, read its "
                        "file again or ask the user for it.")};
}

}  // namespace agentd::context
