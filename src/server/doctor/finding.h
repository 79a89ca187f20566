// Finding: one line of what `agentd doctor` has to say, and how it is printed. Values, pure.
#pragma once

#include <string>
#include <vector>

namespace agentd::server::doctor {

enum class Level {
  ok,
  warn,  // works, but not as somebody may expect
  fail,  // does not work; the exit code says so too
};

struct Finding {
  Level level = Level::ok;
  std::string subject;  // a word or two: `model`, `hooks`
  std::string what;
  std::string fix = {};  // what to do; empty: nothing
};

using Findings = std::vector<Finding>;

bool any_failed(const Findings& findings);

/// Aligned lines: `ok    model    demo, the built-in one  -> what to do`. Control characters are
/// shown, not sent.
std::string as_lines(const Findings& findings);

/// One JSON object per line: `level`, `subject`, `what`, and `fix` if there is one.
std::string as_json(const Findings& findings);

}  // namespace agentd::server::doctor
