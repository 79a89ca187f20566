#include "config/trust.h"

#include <algorithm>
#include <vector>

#include "base/path.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"

namespace agentd::config {
namespace {

constexpr std::uint64_t kMaxFile = 1024 * 1024;  // bytes

struct TrustedDirectories {
  std::vector<std::string> directories;

  static void fields(auto& field) {
    field("directories", &TrustedDirectories::directories, "Canonical paths.");
  }
};

Result<TrustedDirectories> read_list(const std::string& file, platform::Files& files) {
  auto text = files.read(file, kMaxFile);
  if (!text && text.error().code == Code::not_found) return TrustedDirectories{};
  if (!text) return std::move(text.error());
  auto json = wire::parse(*text);
  auto list = json ? wire::decode<TrustedDirectories>(*json, "")
                   : Result<TrustedDirectories>(std::move(json.error()));
  if (list) return list;
  return make_error(Code::invalid_input,
                    "the list of trusted directories is broken, correct or remove it: " + file +
                        ": " + list.error().message,
                    file);
}

bool covers(const TrustedDirectories& list, const std::string& canonical) {
  return std::any_of(
      list.directories.begin(), list.directories.end(),
      [&canonical](const std::string& trusted) { return path_inside(canonical, trusted); });
}

}  // namespace

std::string trust_file(const Environment& environment) {
  const std::string directory = data_directory(environment);
  return directory.empty() ? "" : directory + "/trusted.json";
}

Result<bool> is_trusted(const std::string& file, const std::string& directory,
                        platform::Files& files) {
  const auto list = read_list(file, files);
  if (!list) return list.error();
  if (list->directories.empty()) return false;
  const auto canonical = files.canonical(directory);
  if (!canonical) return canonical.error();
  return covers(*list, *canonical);
}

Result<std::string> trust(const std::string& file, const std::string& directory,
                          platform::Files& files) {
  auto canonical = files.canonical(directory);
  if (!canonical) return canonical;
  const auto info = files.info(*canonical);
  if (!info) return info.error();
  if (info->kind != platform::FileKind::directory) {
    return make_error(Code::invalid_input, *canonical + " is not a directory", *canonical);
  }
  auto list = read_list(file, files);
  if (!list) return std::move(list.error());
  if (covers(*list, *canonical)) return canonical;
  list->directories.push_back(*canonical);
  if (auto written = files.replace(file, wire::indented(wire::encode(*list)) + "\n"); !written) {
    return std::move(written.error());
  }
  return canonical;
}

}  // namespace agentd::config
