#include "context/memory.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/path.h"
#include "base/utf8.h"
#include "context/memory_text.h"
#include "platform/read_set.h"

namespace agentd::context {
namespace {

enum class Owner { user, project };

struct Bounds {
  std::size_t bytes = kMemoryFileBytes;
  std::size_t lines = 0;  // 0: any number
};

std::string join(const std::string& directory, std::string_view name) {
  return (directory == "/" ? "" : directory) + "/" + std::string(name);
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

// Without a byte order mark and with "\n" for "\r\n".
std::string plain(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  }
  return out;
}

// The directories from `from` down to `to`, both included; `to` alone if it is not below.
std::vector<std::string> directories_between(const std::string& from, const std::string& to) {
  std::vector<std::string> found{to};
  if (from.empty() || !path_inside(to, from)) return found;
  while (found.back() != from) found.push_back(directory_of(found.back()));
  std::reverse(found.begin(), found.end());
  return found;
}

// The name that Claude Code gives a project's directory below ~/.claude/projects.
std::string project_name(const std::string& root) {
  std::string name = root;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  return name;
}

// True if a mention is meant as a path: `@docs/a.md` and `@./a` are, `@types/node` is a package.
bool names_a_file(const std::string& named) {
  const bool rooted = named.front() == '.' || named.front() == '~' || named.front() == '/';
  return rooted || named.find('.', named.rfind('/') + 1) != std::string::npos;
}

class Collector {
 public:
  Collector(const MemoryPlaces& places, platform::Files& files, ToldMemory& told)
      : places_(places), files_(files), told_(told) {
    for (const std::string& place : {places.root, places.cwd}) {
      if (place.empty()) continue;
      auto canonical = files.canonical(place);
      if (canonical) workspace_.push_back(std::move(*canonical));
    }
  }

  void directory(const std::string& path) {
    contents_.clear();
    for (const std::string_view name :
         {"AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"}) {
      candidate(join(path, name), Owner::project);
    }
  }

  // A file that may be there.
  void candidate(const std::string& path, Owner owner, Bounds bounds = {}) {
    if (!files_.info(path)) return;
    file(path, owner, bounds, 0);
  }

  Memory take() { return std::move(memory_); }

 private:
  void file(const std::string& path, Owner owner, Bounds bounds, int hops) {
    const auto canonical = files_.canonical(path);
    if (!canonical || !told_.insert(*canonical).second) return;
    if (owner == Owner::project && !places_.trusted && !in_workspace(*canonical)) {
      return note(path + " was not read: it lies outside of the workspace (" + *canonical +
                  "), which is not trusted");
    }
    auto text = read(path, *canonical, bounds);
    if (!text || ascii::blank(text->text) || is_double(*text)) return;
    const std::vector<std::string> imports = imported_paths(text->text);
    memory_.files.push_back(std::move(*text));
    for (const std::string& named : imports) import_file(named, path, *canonical, owner, hops + 1);
  }

  void import_file(const std::string& named, const std::string& by, const std::string& canonical_by,
                   Owner owner, int hops) {
    const auto path = resolved(named, directory_of(canonical_by));
    if (!path) return;
    if (!files_.info(*path)) {
      if (!names_a_file(named)) return;
      return note(by + " imports @" + named + ", which is not there");
    }
    if (hops > kImportHops) {
      return note(by + " imports @" + named + ", which was not read: imports go " +
                  std::to_string(kImportHops) + " files deep");
    }
    file(*path, owner, {}, hops);
  }

  std::optional<std::string> resolved(const std::string& named,
                                      const std::string& directory) const {
    if (named.front() == '/') return named;
    if (named.front() != '~') return join(directory, named);
    if (named.size() < 3 || named[1] != '/' || places_.home.empty()) return std::nullopt;
    return places_.home + named.substr(1);
  }

  std::optional<MemoryFile> read(const std::string& path, const std::string& canonical,
                                 Bounds bounds) {
    const std::size_t room = kMemoryTotalBytes - std::min(kMemoryTotalBytes, total_);
    if (room == 0) {
      note(path + " was not read: the memory files before it fill the " +
           std::to_string(kMemoryTotalBytes) + " bytes there are for them");
      return std::nullopt;
    }
    const std::size_t most = std::min(bounds.bytes, room);
    // Judged by where it leads: a link that is there now was put there since.
    const auto content = files_.read_range(canonical, 0, most + 1, platform::Links::refuse);
    if (!content) {
      note(content.error().message);
      return std::nullopt;
    }
    MemoryFile file{path, {}, content->size() > most};
    // Only a character that the bound cuts may be incomplete.
    const std::string_view whole =
        file.truncated ? utf8::head(*content, most) : std::string_view(*content);
    if (!utf8::valid(whole) || whole.find('\0') != std::string_view::npos) {
      note(path + " was not read: it is not UTF-8 text");
      return std::nullopt;
    }
    file.text = without_comments(plain(whole));
    if (bounds.lines > 0) cut_lines(file, bounds.lines);
    if (file.truncated) note(path + " is long: only its beginning was read");
    total_ += file.text.size();
    return file;
  }

  static void cut_lines(MemoryFile& file, std::size_t lines) {
    std::size_t end = 0;
    for (; lines > 0; --lines) {
      const std::size_t next = file.text.find('\n', end);
      if (next == std::string::npos) return;
      end = next + 1;
    }
    if (end == file.text.size()) return;
    file.text.resize(end);
    file.truncated = true;
  }

  // In one directory AGENTS.md and CLAUDE.md are often copies of each other.
  bool is_double(const MemoryFile& file) {
    std::string_view text = file.text;
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    return !contents_.insert(platform::hash_content(text)).second;
  }

  bool in_workspace(const std::string& canonical) const {
    return std::any_of(workspace_.begin(), workspace_.end(),
                       [&](const std::string& place) { return path_inside(canonical, place); });
  }

  void note(std::string text) { memory_.notes.push_back(std::move(text)); }

  const MemoryPlaces& places_;
  platform::Files& files_;
  ToldMemory& told_;
  std::vector<std::string> workspace_;        // canonical
  std::set<platform::ContentHash> contents_;  // of this directory
  Memory memory_;
  std::size_t total_ = 0;  // bytes
};

}  // namespace

Memory find_memory_files(const MemoryPlaces& places, platform::Files& files, ToldMemory& told) {
  Collector collector(places, files, told);
  if (!places.home.empty()) {
    collector.candidate(places.home + "/.claude/CLAUDE.md", Owner::user);
  }
  if (!places.config.empty()) {
    collector.candidate(places.config + "/agentd/AGENTS.md", Owner::user);
  }
  for (const std::string& directory : directories_between(places.root, places.cwd)) {
    collector.directory(directory);
  }
  if (!places.home.empty()) {
    const std::string& project = places.root.empty() ? places.cwd : places.root;
    collector.candidate(
        places.home + "/.claude/projects/" + project_name(project) + "/memory/MEMORY.md",
        Owner::user, {kMemoryNoteBytes, kMemoryNoteLines});
  }
  return collector.take();
}

Memory nested_memory(const std::string& directory, const MemoryPlaces& places,
                     platform::Files& files, ToldMemory& told) {
  const bool below_root = !places.root.empty() && path_inside(directory, places.root);
  const std::string& top = below_root ? places.root : places.cwd;
  if (!path_inside(directory, top)) return {};
  Collector collector(places, files, told);
  for (const std::string& one : directories_between(top, directory)) collector.directory(one);
  return collector.take();
}

Attachment memory_attachment(const MemoryFile& file) {
  std::string text = file.text;
  if (file.truncated) text += "\n[... the rest of this file is cut: read it if you need it]";
  return {AttachmentKind::memory, file.path, std::move(text)};
}

}  // namespace agentd::context
