// Todo: one item of the list that the model keeps of its own work, as TodoWrite leaves it. Values.
#pragma once

#include <string>
#include <string_view>

namespace agentd {

enum class TodoStatus { pending, in_progress, completed };

/// As the model writes and reads it.
constexpr std::string_view to_string(TodoStatus status) {
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

struct Todo {
  std::string content;  // what is to be done: "Run the tests"
  TodoStatus status = TodoStatus::pending;
  std::string active_form;  // the same while it is being done: "Running the tests"

  bool operator==(const Todo&) const = default;
};

}  // namespace agentd
