#include "context/attachment.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "context/tokens.h"

namespace agentd::context {
namespace {

constexpr std::string_view kTag = "context";
constexpr std::string_view kCutNote = "\n[... cut here: more than there is room for]";
// With less room than this an attachment is left out rather than cut to nothing.
constexpr std::int64_t kLeastTokens = 100;

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// True if `text` goes on with our tag's name, spaces and a slash before it allowed.
bool names_our_tag(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '/')) text.remove_prefix(1);
  return text.size() >= kTag.size() && std::equal(kTag.begin(), kTag.end(), text.begin(),
                                                  [](char a, char b) { return a == lower(b); });
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
  std::vector<Block> blocks;
  std::vector<std::string> left_out;  // titles
  std::int64_t room = 0;              // tokens
};

void add(Rendering& rendering, const Attachment& attachment, ShownAttachments& shown) {
  const platform::ContentHash hash = hash_of(attachment);
  // The same change can happen twice, and a list be forgotten twice.
  const bool once =
      attachment.kind != AttachmentKind::changed_file && attachment.kind != AttachmentKind::todo;
  if (once && shown.count(hash) > 0) return;
  std::string text = wrapped(attachment);
  if (estimate(text) + kBlockTokens > rendering.room) {
    if (rendering.room < kLeastTokens) {
      rendering.left_out.push_back(
          attachment.title.empty() ? std::string(kind_name(attachment.kind)) : attachment.title);
      return;
    }
    text = wrapped(cut_to(attachment, rendering.room));
  }
  rendering.room -= estimate(text) + kBlockTokens;
  shown.insert(hash);
  rendering.blocks.emplace_back(TextBlock{std::move(text)});
}

Block left_out_note(const std::vector<std::string>& titles) {
  constexpr std::size_t kNamed = 10;
  std::string text = "There was no room to show: ";
  for (std::size_t i = 0; i < std::min(kNamed, titles.size()); ++i) {
    text += (i > 0 ? ", " : "") + titles[i];
  }
  if (titles.size() > kNamed) {
    text += " and " + std::to_string(titles.size() - kNamed) + " more";
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

std::vector<Block> render(std::vector<Attachment> attachments, std::int64_t budget,
                          ShownAttachments& shown) {
  std::erase_if(attachments, [](const Attachment& one) { return blank(one.text); });
  std::stable_sort(attachments.begin(), attachments.end(),
                   [](const Attachment& a, const Attachment& b) { return a.kind < b.kind; });
  Rendering rendering{{}, {}, budget};
  const auto queued = std::find_if(
      attachments.begin(), attachments.end(),
      [](const Attachment& one) { return one.kind == AttachmentKind::queued_message; });
  for (auto one = attachments.begin(); one != queued; ++one) add(rendering, *one, shown);
  if (!rendering.left_out.empty()) rendering.blocks.push_back(left_out_note(rendering.left_out));
  for (auto one = queued; one != attachments.end(); ++one) {
    rendering.blocks.emplace_back(TextBlock{std::move(one->text)});
  }
  return std::move(rendering.blocks);
}

bool added_by_engine(std::string_view text) {
  constexpr std::string_view kStarts[] = {"<context kind=\"", "<environment>\n"};
  return std::any_of(std::begin(kStarts), std::end(kStarts), [text](std::string_view start) {
    return text.substr(0, start.size()) == start;
  });
}

}  // namespace agentd::context
