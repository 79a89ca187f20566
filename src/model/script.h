// Script: a parsed script (its language is told in scripted.h). Values and pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "message/message.h"
#include "model/event.h"

namespace agentd::model {

struct Script {
  struct Condition {
    enum class Kind {
      prompt_has,
      prompt_lacks,
      prompt_quotes,
      prompt_quotes_nothing,
      results,
      result_ok,
      result_failed,
      result_has_lines,
      result_has_no_lines,
      first_line_starts,
      first_line_is,
      first_try,
      retry,
      summed_up,
      images,
      no_images,
      thinking,
      no_thinking,
      output_limit,
    };
    Kind kind = Kind::results;
    std::vector<std::string> texts;  // prompt_has, prompt_lacks; one: first_line_...
    std::size_t count = 0;           // results, output_limit
  };

  struct Words {
    DeltaKind kind = DeltaKind::text;  // text or thinking
    std::string text;                  // may hold placeholders
  };
  struct Call {
    std::string name;
    Json input;  // an object; its strings may hold placeholders
  };
  using Part = std::variant<Words, Call>;

  struct Reply {
    int line = 0;
    std::vector<Condition> conditions;
    std::vector<Part> parts;
    std::chrono::milliseconds delay{0};
    std::optional<Usage> usage;
    std::string stop;  // empty: what the parts call for
    bool cut = false;
    std::optional<ModelFailure> failure;
  };

  std::vector<Reply> replies;
};

/// Error: invalid_input, beginning with "line N: ".
Result<Script> parse_script(std::string_view text);

}  // namespace agentd::model
