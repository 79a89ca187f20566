// What a session has besides its log comes back as it was.
#include "session/stored_state.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace agentd;
using namespace agentd::session;

namespace {

agent::Conversation lively() {
  agent::Conversation conversation;
  conversation.cwd = "/project/sub";
  conversation.mode = permission::Mode::plan;
  conversation.mode_before_plan = permission::Mode::accept_edits;
  conversation.plan_mode_told = true;
  Access command;
  command.command = "make \"all\"";
  conversation.grants.add(command);
  Access files;
  files.reads = {"/etc/hosts"};
  files.writes = {"/project/a", "/project/b"};
  conversation.grants.add(files);
  conversation.read_set->remember("/project/a", "some");
  conversation.read_set->remember_whole("/project/b", "all of it");
  conversation.told_memory = {"/project/AGENTS.md"};
  conversation.shown_attachments = {{0, 7}, {0xffffffffffffffff, 1}};
  conversation.todos.items = {{"Test", TodoStatus::in_progress, "Testing"}};
  conversation.todos.turns_untouched = 3;
  conversation.git_root = "/project";
  conversation.environment = "OS: Linux";
  conversation.window_exceeded = 200'000;
  conversation.answered_by = "anthropic/x";
  return conversation;
}

}  // namespace

TEST_CASE("every part of the state survives") {
  const StoredWishes wishes{"anthropic/x", "Be brief.", std::vector<std::string>{"Read"}};
  const std::string json = state_json(lively(), wishes);
  agent::Conversation back;
  const auto restored = restore_state(json, back);
  REQUIRE_MESSAGE(restored.has_value(), restored.error().message);
  CHECK(*restored == wishes);
  CHECK(state_json(back, *restored) == json);
  CHECK(back.mode == permission::Mode::plan);
  CHECK(back.read_set->compare("/project/a", "some") == platform::ReadSet::State::unchanged);
  CHECK(back.read_set->compare("/project/a", "same") == platform::ReadSet::State::changed);
  CHECK(back.read_set->seen_whole("/project/b", "all of it"));
  CHECK(!back.read_set->seen_whole("/project/a", "some"));
  Access grown;
  grown.command = "make \"all\"";
  grown.writes = {"/project/b"};
  CHECK(back.grants.covers(grown));
  grown.command = "make";
  CHECK(!back.grants.covers(grown));
  CHECK(back.todos.items == lively().todos.items);
}

TEST_CASE("what is broken is an error and changes nothing") {
  Json state = Json::parse(state_json(lively(), {}));
  const auto refused = [](const Json& json) {
    agent::Conversation back;
    const bool failed = !restore_state(json.dump(), back).has_value();
    return failed && back.cwd.empty();
  };
  for (const char* key : {"mode", "cwd", "files", "todos"}) {
    Json without = state;
    without.erase(key);
    CHECK_MESSAGE(refused(without), key);
  }
  Json odd = state;
  odd["mode"] = "anything";
  CHECK(refused(odd));
  odd = state;
  odd["todos"][0]["status"] = "late";
  CHECK(refused(odd));
  CHECK(refused(Json::array()));
}

TEST_CASE("what a later version adds is not minded") {
  Json state = Json::parse(state_json(lively(), {}));
  state["somethingNew"] = {{"a", 1}};
  agent::Conversation back;
  CHECK(restore_state(state.dump(), back).has_value());
  CHECK(back.cwd == "/project/sub");
}
