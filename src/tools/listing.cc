#include "tools/listing.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tools/paths.h"

namespace agentd::tools {

std::vector<std::string> split_records(std::string_view output) {
  std::vector<std::string> records;
  while (!output.empty()) {
    const std::size_t end = output.find('\0');
    if (end != 0) records.emplace_back(output.substr(0, end));
    if (end == std::string_view::npos) break;
    output.remove_prefix(end + 1);
  }
  return records;
}

void sort_newest_first(std::vector<std::string>& paths, const std::string& directory,
                       platform::Files& files, const std::stop_token& stop) {
  std::vector<std::pair<std::int64_t, std::string>> dated;
  dated.reserve(paths.size());
  for (const std::string& path : paths) {
    if (stop.stop_requested()) return;
    const Result<platform::FileInfo> info =
        files.info(absolute_path(path, directory), platform::Links::refuse);
    dated.emplace_back(info ? -info->modified_ns : 0, path);
  }
  std::sort(dated.begin(), dated.end());
  for (std::size_t i = 0; i < paths.size(); ++i) paths[i] = std::move(dated[i].second);
}

}  // namespace agentd::tools
