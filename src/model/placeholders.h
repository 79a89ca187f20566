// What a script can know about the request it answers, and the ${...} that stand for it. The
// language is told in scripted.h. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/provider.h"

namespace agentd::model {

struct ScriptedResult {
  std::string text;
  bool is_error = false;
};

/// The request as a script sees it.
struct Situation {
  std::string prompt;                   // the user's last words
  std::string directory;                // path of the working directory, if it was told
  std::vector<ScriptedResult> results;  // since the user's last words
  std::size_t calls_before = 0;         // tool calls in the whole history
  bool retry = false;
  bool summed_up = false;  // the conversation begins with a summary of what came before
  bool images = false;     // somewhere in it
  bool thinking = false;
  std::int64_t output_limit = 0;  // tokens that the reply may have
};

Situation situation_of(const ModelRequest& request);

/// What the prompt quotes, a file's name excepted; without a leading `#` of a Markdown title.
std::optional<std::string> quoted_in(std::string_view prompt);

/// The lines of a file that a result shows with their numbers, without them.
std::vector<std::string> shown_lines(std::string_view result);

/// Error: invalid_input, naming a placeholder that is none.
Result<void> check_placeholders(std::string_view text);

/// `text` with every placeholder replaced; one without a value becomes nothing.
std::string expanded(std::string_view text, const Situation& situation);

}  // namespace agentd::model
