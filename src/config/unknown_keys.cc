#include "config/unknown_keys.h"

#include <algorithm>
#include <numeric>

#include "base/ascii.h"
#include "base/utf8.h"

namespace agentd::config {
namespace {

constexpr std::size_t kMostTold = 10;    // a file of anybody's is no flood of notices
constexpr std::size_t kLongestKey = 64;  // bytes; longer ones are cut and resemble nothing

/// Collects `retry`, `retry.attempts`, ... from the declaration.
struct KnownKeys {
  std::string prefix;
  std::vector<std::string> paths;

  template <class Owner, class Value>
  void operator()(std::string_view key, Value Owner::*, std::string_view,
                  const wire::Limits& = {}) {
    paths.push_back(prefix + std::string(key));
  }

  template <class Owner, class Value>
  void operator()(std::string_view key, std::optional<Value> Owner::*, std::string_view,
                  const wire::Limits& = {}) {
    paths.push_back(prefix + std::string(key));
    if constexpr (wire::Described<Value>) {
      KnownKeys inner{paths.back() + ".", {}};
      Value::fields(inner);
      paths.insert(paths.end(), inner.paths.begin(), inner.paths.end());
    }
  }
};

// The members of `providers` have names of the user's own; `*` stands for them.
constexpr std::string_view kProviders = "providers.";
constexpr std::string_view kAnyProvider = "providers.*";

const std::vector<std::string>& known() {
  static const std::vector<std::string> paths = [] {
    KnownKeys keys;
    SettingsFile::fields(keys);
    keys.paths.emplace_back(kAnyProvider);
    keys.prefix = std::string(kAnyProvider) + ".";
    ProviderSettings::fields(keys);
    return keys.paths;
  }();
  return paths;
}

bool is_known(const std::string& path) {
  return std::find(known().begin(), known().end(), path) != known().end();
}

/// True if something is declared below it; what is below any other key is not ours to judge.
bool has_known_below(const std::string& path) {
  return std::any_of(known().begin(), known().end(),
                     [&path](const std::string& key) { return key.starts_with(path + "."); });
}

/// How many letters must be put in, left out or changed.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The known key meant by `path`; empty if none is near.
std::string closest(const std::string& path) {
  if (path.size() > kLongestKey) return {};
  const std::string wanted = ascii::lowered(path);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 5) + 1;
  for (const std::string& key : known()) {
    const std::string candidate = ascii::lowered(key);
    if (candidate.ends_with("." + wanted)) return key;  // right, but in the wrong place
    const std::size_t off = distance(wanted, candidate);
    if (off < best_distance && off * 2 < candidate.size()) {
      best = key;
      best_distance = off;
    }
  }
  return best;
}

/// `a.b` as it stands in a file; a key with a dot in it is what people write instead.
std::string as_written(const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return "\"" + path + "\"";
  return "{\"" + path.substr(0, dot) + "\": {\"" + path.substr(dot + 1) + "\": ...}}";
}

/// What to write instead of `path`; empty if no known key is near.
std::string meant_by(const std::string& path) {
  if (!path.starts_with(kProviders)) {
    const std::string meant = closest(path);
    return meant.empty() ? meant : as_written(meant);
  }
  const std::string meant = closest(std::string(kAnyProvider) + path.substr(path.rfind('.')));
  return meant.empty() ? meant : "\"" + meant.substr(meant.rfind('.') + 1) + "\"";
}

std::string sentence(const std::string& path) {
  std::string text =
      "unknown key \"" + std::string(utf8::head(path, kLongestKey)) + "\" is ignored";
  const std::string meant = meant_by(path);
  if (!meant.empty()) text += "; did you mean " + meant + "?";
  return text;
}

/// `known_prefix` is `prefix` with `*` for the name of a provider.
void collect(const wire::Json& object, const std::string& prefix, const std::string& known_prefix,
             std::vector<std::string>& out) {
  for (const auto& [key, value] : object.items()) {
    if (key == "$schema") continue;  // for editors
    const bool provider = known_prefix == kProviders;
    const std::string path = prefix + key;
    const std::string known_path = provider ? std::string(kAnyProvider) : known_prefix + key;
    const bool dotted = !provider && key.find('.') != std::string::npos;
    if (dotted || !is_known(known_path)) {
      out.push_back(path);
    } else if (value.is_object() && has_known_below(known_path)) {
      collect(value, path + ".", known_path + ".", out);
    }
  }
}

}  // namespace

std::vector<std::string> unknown_keys(const wire::Json& json) {
  std::vector<std::string> paths;
  collect(json, "", "", paths);
  std::vector<std::string> sentences;
  for (const std::string& path : paths) {
    if (sentences.size() == kMostTold) {
      sentences.push_back("and " + std::to_string(paths.size() - kMostTold) + " more unknown keys");
      break;
    }
    sentences.push_back(sentence(path));
  }
  return sentences;
}

}  // namespace agentd::config
