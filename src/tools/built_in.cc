// The tools every session has, in the order the model is told of them.
#include "tools/ask_user_question.h"
#include "tools/bash.h"
#include "tools/edit.h"
#include "tools/exit_plan_mode.h"
#include "tools/glob.h"
#include "tools/grep.h"
#include "tools/read.h"
#include "tools/registry.h"
#include "tools/todo_write.h"
#include "tools/write.h"

namespace agentd::tools {

Registry built_in_tools() {
  Registry registry;
  registry.add(make_read());
  registry.add(make_write());
  registry.add(make_edit());
  registry.add(make_bash());
  registry.add(make_glob());
  registry.add(make_grep());
  registry.add(make_todo_write());
  registry.add(make_ask_user_question());
  registry.add(make_exit_plan_mode());
  return registry;
}

}  // namespace agentd::tools
