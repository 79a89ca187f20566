#include "context/recent_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace agentd::context {
namespace {

bool is_text(std::string_view content) {
  return content.find('\0') == std::string_view::npos && utf8::valid(content);
}

Attachment put_back(const platform::ReadSet::Entry& entry, std::size_t bytes) {
  std::string text = "You read or wrote this file before the summary. Its content now:\n";
  const std::string_view shown = utf8::head(*entry.content, bytes);
  text += shown;
  if (shown.size() < entry.content->size())
    text += "\n[... the rest is cut: read it if you need it]";
  return {AttachmentKind::recent_file, entry.path, std::move(text)};
}

}  // namespace

std::vector<Attachment> recent_files(const platform::ReadSet& read_set, std::size_t count,
                                     std::size_t bytes_of_one) {
  auto entries = read_set.entries();
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.order > b.order; });
  std::vector<Attachment> files;
  for (const auto& entry : entries) {
    if (files.size() == count) break;
    if (entry.content && is_text(*entry.content)) {
      files.push_back(put_back(entry, bytes_of_one));
    }
  }
  return files;
}

}  // namespace agentd::context
