#include "session/stored_state.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "session/content_hash_text.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"

namespace agentd::session {
namespace {

struct StoredFile {
  std::string path;
  std::string hash;
  std::optional<std::string> whole;

  static void fields(auto& field) {
    field("path", &StoredFile::path, "");
    field("hash", &StoredFile::hash, "");
    field("whole", &StoredFile::whole, "");
  }
};

struct StoredTodo {
  std::string content;
  std::string status;
  std::string active_form;

  static void fields(auto& field) {
    field("content", &StoredTodo::content, "");
    field("status", &StoredTodo::status, "");
    field("activeForm", &StoredTodo::active_form, "");
  }
};

struct StoredState {
  std::string cwd;
  std::string mode;
  std::string mode_before_plan;
  bool plan_mode_told = false;
  std::vector<std::string> granted_commands;
  std::vector<std::string> granted_reads;
  std::vector<std::string> granted_writes;
  std::vector<StoredFile> files;
  std::vector<std::string> told_memory;
  std::vector<std::string> shown_attachments;
  std::vector<StoredTodo> todos;
  int todos_untouched = 0;
  std::string git_root;
  std::string environment;
  std::int64_t window_exceeded = 0;
  std::string answered_by;
  StoredWishes wishes;

  static void fields(auto& field) {
    field("cwd", &StoredState::cwd, "");
    field("mode", &StoredState::mode, "");
    field("modeBeforePlan", &StoredState::mode_before_plan, "");
    field("planModeTold", &StoredState::plan_mode_told, "");
    field("grantedCommands", &StoredState::granted_commands, "");
    field("grantedReads", &StoredState::granted_reads, "");
    field("grantedWrites", &StoredState::granted_writes, "");
    field("files", &StoredState::files, "");
    field("toldMemory", &StoredState::told_memory, "");
    field("shownAttachments", &StoredState::shown_attachments, "");
    field("todos", &StoredState::todos, "");
    field("todosUntouched", &StoredState::todos_untouched, "");
    field("gitRoot", &StoredState::git_root, "");
    field("environment", &StoredState::environment, "");
    field("windowExceeded", &StoredState::window_exceeded, "");
    field("answeredBy", &StoredState::answered_by, "");
    field("wishes", &StoredState::wishes, "");
  }
};

template <class Texts>
std::vector<std::string> listed(const Texts& texts) {
  std::vector<std::string> list(texts.begin(), texts.end());
  std::sort(list.begin(), list.end());  // the same state, the same bytes
  return list;
}

Result<TodoStatus> status_of(const std::string& name) {
  for (const TodoStatus status :
       {TodoStatus::pending, TodoStatus::in_progress, TodoStatus::completed}) {
    if (to_string(status) == name) return status;
  }
  return make_error(Code::invalid_input, "there is no such state of a todo: " + name, "todos");
}

Result<agent::TodoList> todos_of(const StoredState& state) {
  agent::TodoList list;
  list.turns_untouched = state.todos_untouched;
  for (const StoredTodo& todo : state.todos) {
    const auto status = status_of(todo.status);
    if (!status) return status.error();
    list.items.push_back({todo.content, *status, todo.active_form});
  }
  return list;
}

permission::Grants grants_of(StoredState& state) {
  permission::Grants grants;
  for (std::string& command : state.granted_commands) {
    Access access;
    access.command = std::move(command);
    grants.add(access);
  }
  Access touched;
  touched.reads = std::move(state.granted_reads);
  touched.writes = std::move(state.granted_writes);
  grants.add(touched);
  return grants;
}

StoredState state_of(const agent::Conversation& conversation) {
  StoredState state;
  state.cwd = conversation.cwd;
  state.mode = to_string(conversation.mode);
  state.mode_before_plan = to_string(conversation.mode_before_plan);
  state.plan_mode_told = conversation.plan_mode_told;
  state.granted_commands = listed(conversation.grants.commands());
  state.granted_reads = listed(conversation.grants.reads());
  state.granted_writes = listed(conversation.grants.writes());
  for (const auto& seen : conversation.read_set->entries()) {
    StoredFile& file = state.files.emplace_back(StoredFile{seen.path, text_of_hash(seen.hash), {}});
    if (seen.whole) file.whole = text_of_hash(*seen.whole);
  }
  state.told_memory = listed(conversation.told_memory);
  for (const auto& hash : conversation.shown_attachments) {
    state.shown_attachments.push_back(text_of_hash(hash));
  }
  for (const Todo& todo : conversation.todos.items) {
    state.todos.push_back({todo.content, std::string(to_string(todo.status)), todo.active_form});
  }
  state.todos_untouched = conversation.todos.turns_untouched;
  state.git_root = conversation.git_root;
  state.environment = conversation.environment;
  state.window_exceeded = conversation.window_exceeded;
  state.answered_by = conversation.answered_by;
  return state;
}

}  // namespace

std::string state_json(const agent::Conversation& conversation, const StoredWishes& wishes) {
  StoredState state = state_of(conversation);
  state.wishes = wishes;
  return wire::encode(state);
}

Result<StoredWishes> restore_state(std::string_view json, agent::Conversation& conversation) {
  auto tree = wire::parse(json);
  if (!tree) return tree.error();
  auto state = wire::decode<StoredState>(*tree, "state");
  if (!state) return state.error();
  const auto mode = permission::parse_mode(state->mode);
  const auto before = permission::parse_mode(state->mode_before_plan);
  if (!mode || !before) {
    return make_error(Code::invalid_input, "there is no such permission mode: " + state->mode,
                      "state.mode");
  }
  auto todos = todos_of(*state);
  if (!todos) return todos.error();

  conversation.cwd = std::move(state->cwd);
  conversation.mode = *mode;
  conversation.mode_before_plan = *before;
  conversation.plan_mode_told = state->plan_mode_told;
  conversation.grants = grants_of(*state);
  for (const StoredFile& file : state->files) {
    std::optional<platform::ContentHash> whole;
    if (file.whole) whole = hash_of_text(*file.whole);
    conversation.read_set->restore(file.path, hash_of_text(file.hash), whole);
  }
  conversation.told_memory = {state->told_memory.begin(), state->told_memory.end()};
  for (const std::string& shown : state->shown_attachments) {
    conversation.shown_attachments.insert(hash_of_text(shown));
  }
  conversation.todos = std::move(*todos);
  conversation.git_root = std::move(state->git_root);
  conversation.environment = std::move(state->environment);
  conversation.window_exceeded = state->window_exceeded;
  conversation.answered_by = std::move(state->answered_by);
  return std::move(state->wishes);
}

}  // namespace agentd::session
