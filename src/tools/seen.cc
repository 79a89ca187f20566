#include "tools/seen.h"

namespace agentd::tools {
void remember_view(platform::ReadSet& read_set, const std::string& path, std::string_view content,
                   View view) {
  if (view == View::whole) return read_set.remember_whole(path, content);
  read_set.remember(path, content);
}

platform::ReadSet::State seen_state(const platform::ReadSet& read_set, const std::string& path,
                                    std::string_view content) {
  return read_set.compare(path, content);
}

bool seen_whole(const platform::ReadSet& read_set, const std::string& path,
                std::string_view content) {
  return read_set.seen_whole(path, content);
}

}  // namespace agentd::tools
