// Matcher: which tools (or sources, reasons, triggers) a group of hooks is for. Value, any thread.
//
// As in Claude Code, an empty matcher or `*` takes everything, and one of letters, digits, `_`,
// `-`, blanks, `|` and `,` only is a list of exact names. Anything else is a regular expression
// that may match anywhere in the name: a guard must not silently miss what it was written for.
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentd::hooks {

/// Bytes. Nobody's list of tools is longer, and it bounds what the expression can cost.
inline constexpr std::size_t kMaxMatcher = 1000;

class Matcher {
 public:
  /// Takes everything.
  Matcher() = default;

  /// Of regular expressions what means the same in JavaScript and POSIX: literals, `.`, `*`, `+`,
  /// `?`, `|`, `^`, `$`, classes, groups, `\w`, `\W`, `\b`, `\B` and escaped punctuation. The error
  /// (invalid_input) says what is wrong with `text`.
  static Result<Matcher> parse(std::string_view text);

  bool matches(std::string_view name) const;

 private:
  std::vector<std::string> names_;  // with no pattern either: everything
  std::shared_ptr<const regex_t> pattern_;
};

}  // namespace agentd::hooks
