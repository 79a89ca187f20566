// What a session has seen of a file, kept in its ReadSet. Two things are told apart: that a file
// was read at all (enough for Edit, whose old text proves what the model knows) and that all of it
// was shown (needed for Write, which replaces what was never shown). Ranges that add up to the
// whole file do not count as whole. Paths are canonical.
#pragma once

#include <string>
#include <string_view>

#include "platform/read_set.h"

namespace agentd::tools {

enum class View { part, whole };

/// After a read, and after each of our own changes.
void remember_view(platform::ReadSet& read_set, const std::string& path, std::string_view content,
                   View view);

/// How `content`, just read from disk, compares with what was shown (in part or whole).
platform::ReadSet::State seen_state(const platform::ReadSet& read_set, const std::string& path,
                                    std::string_view content);

bool seen_whole(const platform::ReadSet& read_set, const std::string& path,
                std::string_view content);

}  // namespace agentd::tools
