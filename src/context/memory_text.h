// The text of a memory file: its `@path` mentions, and its comments, which are for people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentd::context {

/// The paths named by `@path` at the beginning of a word, in order, each once. Code (spans in
/// backticks, fenced blocks) is skipped. "\ " in a path is a space; punctuation at its end belongs
/// to the sentence. Mentions that do not look like a path (no "/", no "." and no "~" in front, as
/// `@alice`) are left out.
std::vector<std::string> imported_paths(std::string_view text);

/// Without the HTML comments that begin a line, code left alone. One that is not closed goes to the
/// end.
std::string without_comments(std::string_view text);

}  // namespace agentd::context
