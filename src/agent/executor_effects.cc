// What a call changes in the run beyond its result: the directory, the todo list, the permission
// mode. Run's thread, as all of the executor.
#include <utility>

#include "agent/executor.h"

namespace agentd::agent {

void Executor::take_effects(const Call& call, tools::Outcome& outcome) {
  if (outcome.cwd) setup_.conversation.cwd = std::move(*outcome.cwd);
  if (outcome.todos) take_todos(call, std::move(*outcome.todos));
  if (outcome.mode) take_mode(call, *outcome.mode);
}

// Safe calls end in any order; the list is that of the last one in block order.
void Executor::take_todos(const Call& call, std::vector<Todo> todos) {
  if (call.block < todos_from_block_) return;
  todos_from_block_ = call.block;
  TodoList& list = setup_.conversation.todos;
  list.turns_untouched = 0;
  if (list.items == todos) return;
  list.items = todos;
  setup_.emit(TodosChanged{std::move(todos)});
}

// Nothing is loosened that nobody agreed to, and what the user chose while the call ran stands.
void Executor::take_mode(const Call& call, permission::Mode mode) {
  if (!call.approved || setup_.conversation.mode != call.judged_in) return;
  change_mode(mode);
  setup_.conversation.plan_mode_told = mode == permission::Mode::plan;  // by the result
}

void Executor::change_mode(permission::Mode mode) {
  if (mode == setup_.conversation.mode) return;
  setup_.conversation.set_mode(mode);
  setup_.emit(ModeChanged{mode});
}

}  // namespace agentd::agent
