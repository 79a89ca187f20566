#include "hooks/settings_documents.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "wire/parse.h"

namespace agentd::hooks {
namespace {

using Notices = std::vector<config::SettingsNotice>;

constexpr std::uint64_t kMaxFile = 2 * 1024 * 1024;  // bytes; Claude Code's own limit

struct Place {
  std::string path;
  bool from_project;
  bool of_claude_code;
};

std::vector<Place> places(const std::string& directory, const config::Environment& environment) {
  std::vector<Place> list;
  if (const std::string home = config::home_directory(environment); !home.empty()) {
    list.push_back({home + "/.claude/settings.json", false, true});
  }
  if (const std::string own = config::config_directory(environment); !own.empty()) {
    list.push_back({own + "/settings.json", false, false});
  }
  if (directory.empty()) return list;
  list.push_back({directory + "/.claude/settings.json", true, true});
  list.push_back({directory + "/.claude/settings.local.json", true, true});
  list.push_back({directory + "/.agentd/settings.json", true, false});
  list.push_back({directory + "/.agentd/settings.local.json", true, false});
  return list;
}

// Nullopt if there is nothing in it or it is no JSON object.
std::optional<Json> read_object(const Place& place, platform::Files& files, Notices& notices) {
  const auto broken = [&](const std::string& message) {
    if (place.of_claude_code) notices.push_back({"settings_broken", place.path + ": " + message});
    return std::nullopt;
  };
  const auto text = files.read(place.path, kMaxFile);
  if (!text && text.error().code == Code::not_found) return std::nullopt;
  if (!text) return broken(text.error().message);
  if (ascii::blank(*text)) return std::nullopt;
  auto json = wire::parse(*text);
  if (!json) return broken(json.error().message);
  if (!json->is_object()) return broken("expected a JSON object");
  return std::move(*json);
}

}  // namespace

SettingsDocuments read_settings_documents(const std::string& directory, platform::Files& files,
                                          const config::Environment& environment) {
  SettingsDocuments documents;
  std::vector<std::string> seen;
  for (const Place& place : places(directory, environment)) {
    const std::string canonical = files.canonical(place.path).value_or(place.path);
    if (std::find(seen.begin(), seen.end(), canonical) != seen.end()) continue;
    seen.push_back(canonical);
    if (auto json = read_object(place, files, documents.notices)) {
      documents.list.push_back({place.path, place.from_project, std::move(*json)});
    }
  }
  return documents;
}

}  // namespace agentd::hooks
