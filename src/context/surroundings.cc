#include "context/surroundings.h"

#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <optional>
#include <string_view>

namespace agentd::context {
namespace {

constexpr std::uint64_t kSmallFile = 4096;  // bytes; HEAD and .git files are one line

std::string local_date(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

std::string parent_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

struct WorkTree {
  std::string root;
  std::string git;  // its git directory
};

// The work tree that `cwd` is in. A linked one has a file `.git` that says `gitdir: PATH`.
std::optional<WorkTree> work_tree_of(const std::string& cwd, platform::Files& files) {
  for (std::string directory = cwd;; directory = parent_of(directory)) {
    std::string candidate = (directory == "/" ? "" : directory) + "/.git";
    if (const auto info = files.info(candidate)) {
      if (info->kind == platform::FileKind::directory) return WorkTree{directory, candidate};
      constexpr std::string_view kLink = "gitdir: ";
      const auto link = files.read(candidate, kSmallFile);
      if (link && link->starts_with(kLink)) {
        const std::string target = first_line(std::string_view(*link).substr(kLink.size()));
        return WorkTree{directory, target.starts_with('/') ? target : directory + "/" + target};
      }
    }
    if (directory == "/") return std::nullopt;
  }
}

std::string branch_of(const std::string& git, platform::Files& files) {
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const auto head = files.read(git + "/HEAD", kSmallFile);
  if (!head || !head->starts_with(kBranch)) return {};
  return first_line(std::string_view(*head).substr(kBranch.size()));
}

}  // namespace

Surroundings look_around(const std::string& cwd, std::chrono::system_clock::time_point now,
                         platform::Files& files) {
  Surroundings found;
  found.cwd = cwd;
  found.date = local_date(now);
  utsname system{};
  if (uname(&system) == 0) {
    found.operating_system = std::string(system.sysname) + " " + system.release;
  }
  if (const auto tree = work_tree_of(cwd, files)) {
    found.in_git = true;
    found.git_root = tree->root;
    found.git_branch = branch_of(tree->git, files);
  }
  return found;
}

std::string describe(const Surroundings& surroundings) {
  std::string text = "<environment>\n";
  text += "Date: " + surroundings.date + "\n";
  text += "Working directory: " + surroundings.cwd + "\n";
  text += "Operating system: " + surroundings.operating_system + "\n";
  if (!surroundings.in_git) {
    text += "Git: not a repository\n";
  } else if (surroundings.git_branch.empty()) {
    text += "Git: repository, no branch checked out\n";
  } else {
    text += "Git: repository, branch " + surroundings.git_branch + "\n";
  }
  return text + "</environment>";
}

}  // namespace agentd::context
