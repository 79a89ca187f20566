#include "tools/file_lookup.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "tools/folded_name.h"
#include "tools/paths.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kSuggestions = 3;
// A directory may hold a million files; the first ones will do for a guess.
constexpr std::size_t kMaxEntries = 20'000;

std::vector<std::string> entries(const std::string& directory, platform::Files& files) {
  Result<std::vector<std::string>> listed = files.list(directory, platform::Links::refuse);
  if (!listed) return {};
  if (listed->size() > kMaxEntries) listed->resize(kMaxEntries);
  std::sort(listed->begin(), listed->end());
  return std::move(*listed);
}

std::string joined(const std::string& directory, const std::string& name) {
  return directory == "/" ? "/" + name : directory + "/" + name;
}

// The only entry of `directory` that looks like `name`.
std::optional<std::string> entry_like(const std::string& directory, const std::string& name,
                                      platform::Files& files) {
  const std::string wanted = folded_name(name);
  std::optional<std::string> found;
  for (const std::string& entry : entries(directory, files)) {
    if (folded_name(entry) != wanted) continue;
    if (found) return std::nullopt;
    found = entry;
  }
  return found;
}

std::string stem(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

// Edits (insert, delete, replace) from one name to another, bounded by the names' lengths.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Lower is better; nullopt: not alike.
std::optional<std::size_t> unlikeness(const std::string& wanted, const std::string& entry) {
  const std::string a = ascii::lowered(folded_name(wanted));
  const std::string b = ascii::lowered(folded_name(entry));
  if (a == b) return 0;
  if (stem(a) == stem(b)) return 1;
  const std::size_t edits = distance(a, b);
  if (edits <= 1 + a.size() / 4) return 1 + edits;
  const bool contains =
      b.find(stem(a)) != std::string::npos || a.find(stem(b)) != std::string::npos;
  if (contains && std::min(stem(a).size(), stem(b).size()) >= 3) return 100 + edits;
  return std::nullopt;
}

std::vector<std::string> names_like(const std::string& directory, const std::string& name,
                                    platform::Files& files) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& entry : entries(directory, files)) {
    if (const auto score = unlikeness(name, entry)) ranked.emplace_back(*score, entry);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (const auto& [score, entry] : ranked) {
    if (names.size() == kSuggestions) break;
    names.push_back(joined(directory, entry));
  }
  return names;
}

}  // namespace

std::optional<std::string> look_alike(const std::string& path, platform::Files& files) {
  std::vector<std::string> missing;  // components that do not exist as written, last first
  std::string directory = path;
  while (directory != "/" && !files.info(directory, platform::Links::refuse)) {
    missing.push_back(file_name(directory));
    directory = parent_directory(directory);
  }
  if (missing.empty()) return std::nullopt;
  std::string found = directory;
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    const std::optional<std::string> entry = entry_like(found, *name, files);
    if (!entry) return std::nullopt;
    found = joined(found, *entry);
  }
  if (!files.info(found, platform::Links::refuse)) return std::nullopt;
  return found;
}

std::string missing_file_text(const std::string& path, const std::string& cwd,
                              platform::Files& files) {
  std::string text = path + " does not exist.";
  std::string directory = parent_directory(path);
  std::string name = file_name(path);
  while (directory != "/" && !files.info(directory, platform::Links::refuse)) {
    name = file_name(directory);
    directory = parent_directory(directory);
  }
  if (directory != parent_directory(path)) text += " There is no " + joined(directory, name) + ".";
  const std::vector<std::string> names = names_like(directory, name, files);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? " Did you mean " : (i + 1 == names.size() ? " or " : ", ");
    text += utf8::repaired(names[i]);
  }
  if (!names.empty()) text += "?";
  return text + " The current directory is " + cwd + ".";
}

std::string not_regular_text(const std::string& path, platform::FileKind kind) {
  switch (kind) {
    case platform::FileKind::regular:
      return path + " is a regular file.";
    case platform::FileKind::directory:
      return path +
             " is a directory, not a file. List it with Glob (pattern \"*\") or with Bash "
             "(ls).";
    case platform::FileKind::fifo:
      return path + " is a named pipe (FIFO), not a regular file: reading it could wait for ever.";
    case platform::FileKind::socket:
      return path + " is a socket, not a regular file.";
    case platform::FileKind::device:
      return path + " is a device, not a regular file: reading it might never end.";
    case platform::FileKind::other:
      return path + " is not a regular file.";
  }
  return path + " is not a regular file.";
}

}  // namespace agentd::tools
