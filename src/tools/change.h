// What Write and Edit have in common: loading the file as it is now, insisting that the model knows
// it, putting the new content in place, and telling what changed. Blocks; tool threads only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/seen.h"
#include "tools/tool.h"

namespace agentd::tools {

struct Target {
  std::string path;                    // as judged
  std::optional<std::string> content;  // as on disk; nullopt: no such file yet
};

/// `named` is the path as asked for; the judged one is loaded, and no link on it followed.
/// Error: something there that is no regular file, is too large, or cannot be read.
Result<Target> load_target(const std::string& named, const CallContext& context);

/// Error unless the file was read in this session, is unchanged since, and, for View::whole, was
/// shown whole. New files need nothing.
Result<void> check_known(const Target& target, View needed, const CallContext& context);

/// Puts `content` in place and remembers it. `done` begins the text for the model ("Created").
Outcome put_in_place(const Target& target, std::string_view content, View view, std::string done,
                     const CallContext& context);

/// The unified diff from the target to `content`, for the question put to a person.
std::string preview_text(const Target& target, std::string_view content,
                         const CallContext& context);

}  // namespace agentd::tools
