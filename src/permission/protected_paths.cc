#include "permission/protected_paths.h"

#include <algorithm>
#include <array>
#include <string>

namespace agentd::permission {
namespace {

// The directories are those Claude Code protects, and our own. A name with a slash is two
// components in a row.
constexpr std::array<std::string_view, 13> kDirectories = {
    ".git",  ".config/git", ".vscode", ".idea",   ".husky", ".cargo", ".devcontainer",
    ".yarn", ".mvn",        ".claude", ".agentd", ".ssh",   ".direnv"};

// Worktrees of an agent are ordinary working copies.
constexpr std::string_view kWorktrees = ".claude/worktrees";

// Read by shells, git, package tools and MCP clients, which run what they find there.
constexpr std::array<std::string_view, 21> kFiles = {
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile",     ".zshrc",
    ".zshenv", ".zprofile",     ".zlogin",     ".zlogout",     ".kshrc",       ".cshrc",
    ".envrc",  ".gitconfig",    ".gitmodules", ".mcp.json",    ".claude.json", ".ripgreprc",
    ".npmrc",  ".yarnrc",       ".yarnrc.yml"};

std::string_view below(std::string_view path, std::string_view workspace) {
  std::string_view rest = path.substr(std::min(workspace.size(), path.size()));
  while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  return rest;
}

// True if `parts` ("a" or "a/b") are whole components of `relative`, one after the other.
bool has_components(std::string_view relative, std::string_view parts) {
  const std::string wrapped = "/" + std::string(relative) + "/";
  return wrapped.find("/" + std::string(parts) + "/") != std::string::npos;
}

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

bool protected_path(std::string_view path, std::string_view workspace) {
  const std::string_view relative = below(path, workspace);
  const std::string_view name = last_component(relative);
  if (std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end()) return true;
  return std::any_of(kDirectories.begin(), kDirectories.end(), [&](std::string_view directory) {
    if (!has_components(relative, directory)) return false;
    return directory != ".claude" || !has_components(relative, kWorktrees);
  });
}

}  // namespace agentd::permission
