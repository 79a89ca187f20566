// Glob patterns over relative paths: `*` and `?` within a component, `**` across them, `[a-z]`,
// `[!a]`, `{a,b}`, `\` quotes. A pattern without a slash matches at any depth, as in .gitignore.
// Matched here and not by ripgrep because its --glob switches .gitignore off for what it matches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentd::tools {

/// The longest glob taken from a model, in bytes: as long as a path can be.
inline constexpr std::size_t kMaxGlob = 4096;

class GlobPattern {
 public:
  /// Error: longer than kMaxGlob, more than 64 braces, an unclosed `[` or `{`, or braces that
  /// expand to more than 1000 patterns.
  static Result<GlobPattern> parse(std::string_view pattern);

  bool matches(std::string_view relative_path) const;

 private:
  std::vector<std::string> alternatives_;  // braces expanded
};

/// A pattern cut after its last component that needs no matching: "src/a/**/*.ts" is "src/a" and
/// "**/*.ts". Where there is nothing to match in the directory part it is the part before the
/// name.
struct GlobRoot {
  std::string directory;  // "" if the pattern begins with a wildcard or has no slash
  std::string pattern;
};
GlobRoot split_root(std::string_view pattern);

}  // namespace agentd::tools
