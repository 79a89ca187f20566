// Todo: one item of the list that the model keeps of its own work, as TodoWrite leaves it. Values.
#pragma once

#include <string>

namespace agentd {

enum class TodoStatus { pending, in_progress, completed };

struct Todo {
  std::string content;  // what is to be done: "Run the tests"
  TodoStatus status = TodoStatus::pending;
  std::string active_form;  // the same while it is being done: "Running the tests"

  bool operator==(const Todo&) const = default;
};

}  // namespace agentd
