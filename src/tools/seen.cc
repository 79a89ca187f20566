#include "tools/seen.h"

namespace agentd::tools {
namespace {

// A second entry in the same set; no canonical path begins like this.
std::string whole_key(const std::string& path) {
  return "whole:" + path;
}

}  // namespace

void remember_view(platform::ReadSet& read_set, const std::string& path, std::string_view content,
                   View view) {
  read_set.remember(path, content);
  if (view == View::whole) read_set.remember(whole_key(path), content);
}

platform::ReadSet::State seen_state(const platform::ReadSet& read_set, const std::string& path,
                                    std::string_view content) {
  return read_set.compare(path, content);
}

bool seen_whole(const platform::ReadSet& read_set, const std::string& path,
                std::string_view content) {
  return read_set.compare(whole_key(path), content) == platform::ReadSet::State::unchanged;
}

}  // namespace agentd::tools
