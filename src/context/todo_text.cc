#include "context/todo_text.h"

#include <algorithm>

namespace agentd::context {
namespace {

std::string_view status_name(TodoStatus status) {
  switch (status) {
    case TodoStatus::pending:
      return "pending";
    case TodoStatus::in_progress:
      return "in_progress";
    case TodoStatus::completed:
      return "completed";
  }
  return "";
}

}  // namespace

std::optional<Attachment> todo_attachment(const std::vector<Todo>& todos) {
  const bool all_done = std::all_of(todos.begin(), todos.end(), [](const Todo& todo) {
    return todo.status == TodoStatus::completed;
  });
  if (all_done) return std::nullopt;
  std::string text =
      "Your todo list as you left it. If it is no longer right, correct it with TodoWrite; if it "
      "is, go on. Do not speak of this note to the user.\n";
  for (const Todo& todo : todos) {
    text += "- " + std::string(status_name(todo.status)) + ": " + todo.content + '\n';
  }
  return Attachment{AttachmentKind::todo, {}, std::move(text)};
}

}  // namespace agentd::context
