// The tables of the store's file, and how an older file is brought up to date. The file says its
// version in `user_version`; one of a newer agentd is left alone.
#pragma once

#include "session/database.h"

namespace agentd::session {

inline constexpr int kSchemaVersion = 1;

/// Makes or migrates the tables, each step in a transaction. Error: unavailable for a newer file,
/// in which nothing was changed then.
Result<void> prepare_schema(Database& database);

}  // namespace agentd::session
