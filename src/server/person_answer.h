// What a person typed at "Allow it?", understood strictly: a word that only begins like a yes is
// none. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/run.h"

namespace agentd::server {

/// y, yes: allow; s: allow, and later calls alike; n, no: deny, with the words behind it (after a
/// blank or a comma) as the message. Case and blanks around it aside. Nothing for all else. The
/// call's id is left empty.
std::optional<agent::ApprovalAnswer> parse_person_answer(std::string_view line);

}  // namespace agentd::server
