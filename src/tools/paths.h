// Paths as the model writes them, turned into absolute ones by their text alone: nothing is looked
// up, so a tool can tell what it would touch before it may touch anything.
#pragma once

#include <string>
#include <string_view>

namespace agentd::tools {

/// `path` below `cwd` if it is relative; `~` and `~/x` mean the user's home. `.` components,
/// doubled and final slashes go; `..` stays, for only the disk knows where it leads.
std::string absolute_path(std::string_view path, const std::string& cwd);

/// `path` relative to `directory` if it is below it, else `path` itself: shorter for the model.
std::string shown_path(const std::string& path, const std::string& directory);

std::string parent_directory(const std::string& path);
std::string file_name(const std::string& path);

}  // namespace agentd::tools
