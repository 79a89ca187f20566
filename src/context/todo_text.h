// The model's todo list as it is put back before it: after a compaction, and when it has not been
// touched for long. Pure.
#pragma once

#include <optional>
#include <vector>

#include "context/attachment.h"
#include "message/todo.h"

namespace agentd::context {

/// The whole list, finished items too; nothing if none is open.
std::optional<Attachment> todo_attachment(const std::vector<Todo>& todos);

}  // namespace agentd::context
