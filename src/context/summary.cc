#include "context/summary.h"

#include <memory>
#include <utility>

#include "base/utf8.h"
#include "context/attachment.h"
#include "context/normalise.h"
#include "context/summary_request.md.h"
#include "context/tokens.h"

namespace agentd::context {
namespace {

constexpr std::string_view kImageNote = "[An image was here.]";

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
  std::vector<Block> last;
  if (!sent.empty()) last = pair_results({}, tool_use_ids(*sent.back()));
  last.emplace_back(TextBlock{std::move(text)});
  push_joined(sent, user_message(std::move(last)));
  return request.without_images ? with_images_replaced(sent, kImageNote) : sent;
}

bool usable_summary(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") != std::string_view::npos;
}

std::vector<Block> summary_head(std::string_view summary, std::string_view log,
                                const std::optional<Request>& request) {
  std::string text =
      "The conversation became too long, and its older messages were replaced by this summary, "
      "which you wrote. It is background, not a new task. Files may have changed since: read what "
      "you rely on. ";
  text += log.empty() ? "The older messages are kept in the session's log."
                      : "The older messages are kept in the session's log, " + std::string(log) +
                            ": look there for a detail that the summary lacks.";
  text += "\n\n" + bounded(summary, kSummaryTokens, "\n[... the summary is cut here]");
  std::vector<Block> head{TextBlock{wrapped({AttachmentKind::summary, {}, std::move(text)})}};
  if (request) {
    head.emplace_back(TextBlock{
        note("The user's last message follows, word for word. Work on it is under way: go on from "
             "where the summary says, do not begin again.")});
    head.emplace_back(TextBlock{
        bounded(request->text, kRequestTokens, "\n[... the rest of this message is cut]")});
  }
  return head;
}

}  // namespace agentd::context
