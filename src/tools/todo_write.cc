#include "tools/todo_write.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "message/todo.h"
#include "tools/todo_write.md.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kMostTodos = 100;
constexpr std::size_t kLongestTodo = 1000;  // bytes of a content or activeForm

enum class Status { pending, in_progress, completed };

constexpr auto wire_names(Status) {
  return wire::names<Status>("", {{Status::pending, "pending"},
                                  {Status::in_progress, "in_progress"},
                                  {Status::completed, "completed"}});
}

struct Item {
  std::string content;
  Status status = Status::pending;
  std::string active_form;

  static void fields(auto& field) {
    field("content", &Item::content, "What is to be done, one line.");
    field("status", &Item::status, "How far it is; one item at a time is in_progress.");
    field("activeForm", &Item::active_form, "The same as it happens: \"Running the tests\".");
  }
};

struct TodoWriteInput {
  std::vector<Item> todos;

  static void fields(auto& field) {
    field("todos", &TodoWriteInput::todos,
          "The whole list, in the order of the work. It takes the place of the one before.");
  }
};

TodoStatus status_of(Status status) {
  switch (status) {
    case Status::pending:
      return TodoStatus::pending;
    case Status::in_progress:
      return TodoStatus::in_progress;
    case Status::completed:
      return TodoStatus::completed;
  }
  return TodoStatus::pending;
}

std::optional<Error> text_fault(const std::string& text, const std::string& field,
                                const std::string& advice) {
  if (ascii::blank(text)) {
    return invalid(field, "must not be empty; " + advice);
  }
  if (text.size() > kLongestTodo) {
    return invalid(field, "is too long (" + std::to_string(text.size()) +
                              " bytes); one line is enough, split what is more than one thing");
  }
  return std::nullopt;
}

// The next line of work is said back, so that the model need not look for it.
std::string saved_text(const std::vector<Item>& items) {
  if (items.empty()) return "The todo list is empty now.";
  const auto done = std::count_if(items.begin(), items.end(), [](const Item& item) {
    return item.status == Status::completed;
  });
  std::string text = "The todo list is saved: " + std::to_string(done) + " of " +
                     std::to_string(items.size()) + " done.";
  for (const Item& item : items) {
    if (item.status == Status::in_progress) text += " In progress: " + item.content + ".";
  }
  return text;
}

class TodoWriteTool final : public TypedTool<TodoWriteInput> {
 public:
  TodoWriteTool() : TypedTool("TodoWrite", embedded::todo_write) {}

  bool safe(const Json&) const override { return true; }

 protected:
  std::optional<Error> check(const TodoWriteInput& input) const override {
    if (input.todos.size() > kMostTodos) {
      return invalid("todos", "has " + std::to_string(input.todos.size()) + " items, at most " +
                                  std::to_string(kMostTodos) +
                                  " are kept; leave out finished ones, or join small ones");
    }
    for (std::size_t i = 0; i < input.todos.size(); ++i) {
      const std::string at = "todos[" + std::to_string(i) + "].";
      const Item& item = input.todos[i];
      if (auto fault = text_fault(item.content, at + "content", "say what is to be done")) {
        return fault;
      }
      if (auto fault = text_fault(item.active_form, at + "activeForm",
                                  "say what is being done, as in \"Running the tests\"")) {
        return fault;
      }
    }
    return std::nullopt;
  }

  Access access_of(const TodoWriteInput&, const std::string&) const override { return {}; }

  Outcome run_with(const TodoWriteInput& input, const CallContext&) const override {
    Outcome outcome = text_outcome(saved_text(input.todos));
    std::vector<Todo>& todos = outcome.todos.emplace();
    for (const Item& item : input.todos) {
      todos.push_back({item.content, status_of(item.status), item.active_form});
    }
    return outcome;
  }
};

}  // namespace

std::unique_ptr<Tool> make_todo_write() {
  return std::make_unique<TodoWriteTool>();
}

}  // namespace agentd::tools
