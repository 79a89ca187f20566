#include "context/attachment.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "context/tokens.h"

namespace agentd::context {
namespace {

constexpr std::string_view kTag = "context";
constexpr std::string_view kCutNote = "\n[... cut here: more than there is room for]";
// With less room than this an attachment is left out rather than cut to nothing.
constexpr std::int64_t kLeastTokens = 100;

// True if `text` goes on with our tag's name, spaces and a slash before it allowed.
bool names_our_tag(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '/')) text.remove_prefix(1);
  return text.size() >= kTag.size() &&
         std::equal(kTag.begin(), kTag.end(), text.begin(),
                    [](char a, char b) { return a == ascii::lowered(b); });
}

// Every "<" that would open or close a tag of ours is written as "&lt;".
std::string defused(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' && names_our_tag(text.substr(i + 1))) {
      out += "&lt;";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string attribute(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"') {
      out += "&quot;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

platform::ContentHash hash_of(const Attachment& attachment) {
  std::string all(kind_name(attachment.kind));
  all += '\0';
  all += attachment.title;
  all += '\0';
  all += attachment.text;
  return platform::hash_content(all);
}

// The attachment with as much of its text as `budget` tokens hold.
Attachment cut_to(const Attachment& attachment, std::int64_t budget) {
  Attachment cut = attachment;
  const std::int64_t around = estimate(wrapped({attachment.kind, attachment.title, {}})) +
                              estimate(kCutNote) + kBlockTokens;
  std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(0, budget - around)) * 4;
  // Other than ASCII characters weigh more, so the first cut may still be too large.
  do {
    cut.text = utf8::head(attachment.text, bytes);
    bytes = bytes / 4 * 3;
  } while (estimate(cut.text) > budget - around && bytes > 0);
  cut.text += kCutNote;
  return cut;
}

struct Rendering {
  Rendered done;
  std::int64_t room = 0;  // tokens
};

void add(Rendering& rendering, Attachment attachment, ShownAttachments& shown) {
  const platform::ContentHash hash = hash_of(attachment);
  // The same change can happen twice, and a list be forgotten twice.
  const bool once =
      attachment.kind != AttachmentKind::changed_file && attachment.kind != AttachmentKind::todo;
  if (once && shown.count(hash) > 0) return;
  std::string text = wrapped(attachment);
  if (estimate(text) + kBlockTokens > rendering.room) {
    if (rendering.room < kLeastTokens) {
      rendering.done.left_out.push_back(std::move(attachment));
      return;
    }
    text = wrapped(cut_to(attachment, rendering.room));
  }
  rendering.room -= estimate(text) + kBlockTokens;
  shown.insert(hash);
  rendering.done.blocks.emplace_back(TextBlock{std::move(text)});
  rendering.done.shown.push_back({attachment.kind, std::move(attachment.title), {}});
}

std::string_view title_of(const Attachment& attachment) {
  return attachment.title.empty() ? kind_name(attachment.kind) : std::string_view(attachment.title);
}

Block left_out_note(const std::vector<Attachment>& left_out) {
  constexpr std::size_t kNamed = 10;
  std::string text = "There was no room to show: ";
  for (std::size_t i = 0; i < std::min(kNamed, left_out.size()); ++i) {
    text.append(i > 0 ? ", " : "").append(title_of(left_out[i]));
  }
  if (left_out.size() > kNamed) {
    text += " and " + std::to_string(left_out.size() - kNamed) + " more";
  }
  return TextBlock{wrapped({AttachmentKind::note, {}, std::move(text)})};
}

}  // namespace

std::string_view kind_name(AttachmentKind kind) {
  switch (kind) {
    case AttachmentKind::summary:
      return "summary";
    case AttachmentKind::memory:
      return "memory";
    case AttachmentKind::changed_file:
      return "changed_file";
    case AttachmentKind::recent_file:
      return "recent_file";
    case AttachmentKind::todo:
      return "todo";
    case AttachmentKind::background_work:
      return "background_work";
    case AttachmentKind::hook_context:
      return "hook_context";
    case AttachmentKind::note:
      return "note";
    case AttachmentKind::queued_message:
      return "queued_message";
  }
  return "note";
}

std::string wrapped(const Attachment& attachment) {
  std::string text = "<" + std::string(kTag) + " kind=\"" + std::string(kind_name(attachment.kind));
  if (!attachment.title.empty()) text += "\" title=\"" + attribute(attachment.title);
  text += "\">\n" + defused(attachment.text);
  if (text.back() != '\n') text += '\n';
  return text + "</" + std::string(kTag) + ">";
}

Rendered render(std::vector<Attachment> attachments, std::int64_t budget, ShownAttachments& shown) {
  std::erase_if(attachments, [](const Attachment& one) { return ascii::blank(one.text); });
  std::stable_sort(attachments.begin(), attachments.end(),
                   [](const Attachment& a, const Attachment& b) { return a.kind < b.kind; });
  Rendering rendering{{}, budget};
  Rendered& done = rendering.done;
  const auto queued = std::find_if(
      attachments.begin(), attachments.end(),
      [](const Attachment& one) { return one.kind == AttachmentKind::queued_message; });
  for (auto one = attachments.begin(); one != queued; ++one) add(rendering, std::move(*one), shown);
  if (!done.left_out.empty()) done.blocks.push_back(left_out_note(done.left_out));
  for (auto one = queued; one != attachments.end(); ++one) {
    done.blocks.emplace_back(TextBlock{std::move(one->text)});
  }
  return std::move(done);
}

bool added_by_engine(std::string_view text) {
  constexpr std::string_view kStarts[] = {"<context kind=\"", "<environment>\n"};
  return std::any_of(std::begin(kStarts), std::end(kStarts), [text](std::string_view start) {
    return text.substr(0, start.size()) == start;
  });
}

}  // namespace agentd::context
