// Settings documents to a flat list of hooks: layers, trust, faults; and which hooks run.
#include "hooks/settings.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "hooks/settings_documents.h"
#include "unit/platform/scratch.h"
#include "wire/parse.h"

using namespace agentd;
using namespace agentd::hooks;
using namespace std::chrono_literals;

namespace {

SettingsDocument document(const std::string& path, const std::string& json,
                          bool from_project = false) {
  return {path, from_project, wire::parse(json).value()};
}

// Settings with one hook of `event`.
std::string one(const std::string& event, const std::string& command,
                const std::string& matcher = "") {
  return R"({"hooks": {")" + event + R"(": [{"matcher": ")" + matcher +
         R"(", "hooks": [{"type": "command", "command": ")" + command + R"("}]}]}})";
}

// The same, with `entry` as the only hook of PreToolUse.
LoadedHooks load_entry(const std::string& entry) {
  return load_hooks(
      {document("/s.json", R"({"hooks": {"PreToolUse": [{"hooks": [)" + entry + "]}]}}")}, true);
}

std::vector<std::string> commands(const HookSet& set) {
  std::vector<std::string> list;
  for (const Hook& hook : set.hooks) list.push_back(hook.command);
  return list;
}

using Commands = std::vector<std::string>;

HookInput pre_tool_use(const std::string& tool) {
  HookInput input;
  input.event = PreToolUseInput{tool, Json::object(), "toolu_1"};
  return input;
}

}  // namespace

TEST_CASE("a document as users have it") {
  const LoadedHooks loaded = load_hooks({document("/home/u/.claude/settings.json", R"({
    "model": "x",
    "hooks": {
      "PreToolUse": [
        {"matcher": "Bash|Edit", "hooks": [
          {"type": "command", "command": "check.sh", "timeout": 5},
          {"type": "command", "command": "check", "args": ["-x", "a b"], "timeout": 0.25}]},
        {"hooks": [{"type": "command", "command": "all", "statusMessage": "s", "async": false}]}],
      "Stop": [{"hooks": [{"type": "command", "command": "stop", "shell": "bash"}]}]
    }})")},
                                        false);
  CHECK(loaded.notices.empty());
  CHECK(loaded.ignored == 0);
  REQUIRE(commands(loaded.set) == Commands{"check.sh", "check", "all", "stop"});
  const auto& hooks = loaded.set.hooks;
  CHECK(hooks[0].event == Event::pre_tool_use);
  CHECK(hooks[0].timeout == 5s);
  CHECK_FALSE(hooks[0].args);
  CHECK(hooks[0].origin == "/home/u/.claude/settings.json");
  CHECK(hooks[1].timeout == 250ms);
  CHECK(hooks[1].args == Commands{"-x", "a b"});
  CHECK(hooks[2].timeout == 60s);
  CHECK(hooks[3].event == Event::stop);

  CHECK(matching(loaded.set, pre_tool_use("Edit")).size() == 3);
  CHECK(matching(loaded.set, pre_tool_use("Read")).size() == 1);
  CHECK(has_hooks(loaded.set, Event::stop));
  CHECK_FALSE(has_hooks(loaded.set, Event::session_start));
}

TEST_CASE("documents without hooks are nothing to speak of") {
  for (const char* text :
       {"{}", R"({"hooks": {}})", R"({"hooks": null})", R"({"hooks": {"Stop": []}})",
        R"({"hooks": {"Stop": [{"hooks": []}]}})"}) {
    const LoadedHooks loaded = load_hooks({document("/s.json", text)}, true);
    CHECK(loaded.set.hooks.empty());
    CHECK(loaded.notices.empty());
  }
}

TEST_CASE("faults cost what they stand in and are told with file and place") {
  struct Row {
    std::string hooks;
    std::string notice;
    Commands kept;
  };
  const std::string good = R"({"type": "command", "command": "good"})";
  const std::string good_group = R"({"hooks": [)" + good + "]}";
  const std::vector<Row> rows = {
      {R"([])", "hooks: expected an object, got array", {}},
      {R"({"PreTool": [], "Stop": [)" + good_group + "]}",
       "hooks.PreTool: unknown event",
       {"good"}},
      {R"({"Notification": [)" + good_group + "]}", "hooks.Notification: agentd has no such", {}},
      {R"({"Stop": {}})", "hooks.Stop: expected an array, got object", {}},
      {R"({"Stop": ["x", )" + good_group + "]}",
       "hooks.Stop[0]: expected an object, got \"x\"",
       {"good"}},
      {R"({"Stop": [{}, )" + good_group + "]}",
       "hooks.Stop[0].hooks: expected an array; it is missing",
       {"good"}},
      {R"({"PreToolUse": [{"matcher": 5, "hooks": [)" + good + "]}, " + good_group + "]}",
       "hooks.PreToolUse[0].matcher: expected a string, got number",
       {"good"}},
      {R"({"PreToolUse": [{"matcher": "a(", "hooks": [)" + good + "]}, " + good_group + "]}",
       "hooks.PreToolUse[0].matcher: \"a(\" is no matcher: ",
       {"good"}},
      {R"({"Stop": [{"hooks": [7, )" + good + "]}]}",
       "hooks.Stop[0].hooks[0]: expected an object, got number",
       {"good"}},
      {R"({"Stop": [{"hooks": [{"command": "x"}, )" + good + "]}]}",
       "hooks.Stop[0].hooks[0].type: expected \"command\"; it is missing",
       {"good"}},
      {R"({"Stop": [{"hooks": [{"type": "comand", "command": "x"}, )" + good + "]}]}",
       "hooks.Stop[0].hooks[0].type: unknown type \"comand\"",
       {"good"}},
      {R"({"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}, )" + good + "]}]}",
       "hooks.Stop[0].hooks[0].type: \"prompt\" is not supported",
       {"good"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.hooks);
    const auto loaded = load_hooks({document("/s.json", R"({"hooks": )" + row.hooks + "}")}, true);
    CHECK(commands(loaded.set) == row.kept);
    REQUIRE(loaded.notices.size() == 1);
    CHECK(loaded.notices[0].message.starts_with("/s.json: " + row.notice));
  }
}

TEST_CASE(
    "an entry that cannot be kept as it is meant does not run; a bad timeout is the usual one") {
  struct Row {
    std::string entry;  // after the type
    std::string notice;
    bool kept;
  };
  const std::vector<Row> rows = {
      {R"("command": 5)", ".command: expected a string, got number", false},
      {R"("x": 5)", ".command: expected a string; it is missing", false},
      {R"("command": "  ")", ".command: it is empty", false},
      {R"("command": "a\u0000b")", ".command: it is empty or contains a NUL", false},
      {R"("command": "x", "args": "y")", ".args: expected an array of strings", false},
      {R"("command": "x", "args": [1])", ".args: expected an array of strings", false},
      {R"x("command": "x", "if": "Bash(git *)")x", ".if: a condition is not supported", false},
      {R"("command": "x", "async": true)", ".async: async: true is not supported", false},
      {R"("command": "x", "asyncRewake": true)", ".asyncRewake: ", false},
      {R"("command": "x", "once": true)", ".once: ", false},
      {R"("command": "x", "shell": "powershell")", ".shell: \"powershell\" is not supp", false},
      {R"("command": "x", "timeout": "60")", ".timeout: expected a number of seconds", true},
      {R"("command": "x", "timeout": 0)", ".timeout: expected a number of seconds", true},
      {R"("command": "x", "timeout": -1)", ".timeout: expected a number of seconds", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.entry);
    const LoadedHooks loaded = load_entry(R"({"type": "command", )" + row.entry + "}");
    REQUIRE(loaded.notices.size() == 1);
    CHECK(loaded.notices[0].message.starts_with("/s.json: hooks.PreToolUse[0].hooks[0]" +
                                                row.notice));
    REQUIRE(loaded.set.hooks.size() == (row.kept ? 1 : 0));
    if (row.kept) CHECK(loaded.set.hooks[0].timeout == 60s);
  }
}

TEST_CASE("timeouts are bounded, and shorter where somebody waits") {
  const auto timeout = [](const std::string& event, const std::string& said) {
    const LoadedHooks loaded =
        load_hooks({document("/s.json", R"({"hooks": {")" + event +
                                            R"(": [{"hooks": [{"type": "command", "command": "x")" +
                                            said + "}]}]}}")},
                   true);
    REQUIRE(loaded.set.hooks.size() == 1);
    return loaded.set.hooks[0].timeout;
  };
  CHECK(timeout("PreToolUse", R"(, "timeout": 1e300)") == 24h);
  CHECK(timeout("PreToolUse", R"(, "timeout": 0.0001)") == 1ms);
  CHECK(timeout("SessionEnd", "") == 1500ms);
  CHECK(timeout("SessionEnd", R"(, "timeout": 600)") == 60s);
  CHECK(timeout("UserPromptSubmit", "") == 30s);
  CHECK(timeout("Stop", "") == 60s);
}

TEST_CASE("a file full of faults is no flood") {
  std::string list;
  for (int i = 0; i < 30; ++i) list += (i > 0 ? ",1" : "1");
  const auto loaded =
      load_hooks({document("/s.json", R"({"hooks": {"Stop": [)" + list + "]}}")}, true);
  REQUIRE(loaded.notices.size() == 11);
  CHECK(loaded.notices[10].message == "/s.json: hooks: and 20 more faults");
}

TEST_CASE("layers keep their order; identical commands of one event run once") {
  const LoadedHooks loaded = load_hooks({document("/user", one("PreToolUse", "same", "Bash")),
                                         document("/project", one("PreToolUse", "other"), true),
                                         document("/local", one("PreToolUse", "same"), true),
                                         document("/more", one("Stop", "same"), true)},
                                        true);
  CHECK(commands(loaded.set) == Commands{"same", "other", "same", "same"});
  const auto for_bash = matching(loaded.set, pre_tool_use("Bash"));
  REQUIRE(for_bash.size() == 2);
  CHECK(for_bash[0]->origin == "/user");
  CHECK(for_bash[1]->command == "other");
  // Where the first does not match, its double does.
  const auto for_read = matching(loaded.set, pre_tool_use("Read"));
  REQUIRE(for_read.size() == 2);
  CHECK(for_read[1]->origin == "/local");
}

TEST_CASE("programs with other arguments are other hooks") {
  const LoadedHooks loaded = load_entry(
      R"({"type": "command", "command": "x", "args": ["1"]},
         {"type": "command", "command": "x", "args": ["2"]},
         {"type": "command", "command": "x"},
         {"type": "command", "command": "x", "args": ["1"]})");
  CHECK(matching(loaded.set, pre_tool_use("Bash")).size() == 3);
}

TEST_CASE("where an event has nothing to match, matchers mean nothing") {
  const auto loaded = load_hooks({document("/s", one("Stop", "x", "Bash"))}, true);
  HookInput input;
  input.event = StopInput{};
  CHECK(matching(loaded.set, input).size() == 1);
}

TEST_CASE("a matcher that is broken costs its hooks, but where none means anything they run") {
  struct Row {
    std::string event;
    EventInput input;
    bool runs;
  };
  const std::vector<Row> rows = {
      {"UserPromptSubmit", UserPromptSubmitInput{"hi"}, true},
      {"PostToolBatch", PostToolBatchInput{}, true},
      {"Stop", StopInput{}, true},
      {"PreToolUse", PreToolUseInput{"Bash", Json::object(), "t"}, false},
      {"PreCompact", PreCompactInput{}, false},
      {"SessionStart", SessionStartInput{}, false},
      {"SessionEnd", SessionEndInput{}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.event);
    for (const char* matcher : {R"("[")", "5"}) {
      const auto loaded = load_hooks(
          {document("/s", R"({"hooks": {")" + row.event + R"(": [{"matcher": )" + matcher +
                              R"(, "hooks": [{"type": "command", "command": "x"}]}]}})")},
          true);
      HookInput input;
      input.event = row.input;
      CHECK(matching(loaded.set, input).size() == (row.runs ? 1 : 0));
      CHECK(loaded.notices.empty() == row.runs);
    }
  }
}

TEST_CASE("an untrusted project decides nothing, and it is counted") {
  const std::vector<SettingsDocument> documents = {
      document("/user", one("Stop", "mine")), document("/project", one("Stop", "theirs"), true),
      document("/local", R"({"hooks": {"Stop": "broken"}, "disableAllHooks": true})", true)};
  const LoadedHooks untrusted = load_hooks(documents, false);
  CHECK(commands(untrusted.set) == Commands{"mine"});
  CHECK(untrusted.ignored == 1);
  CHECK(untrusted.ignored_files == Commands{"/project"});
  CHECK(untrusted.notices.empty());
  const LoadedHooks trusted = load_hooks(documents, true);
  CHECK(commands(trusted.set) == Commands{"mine"});  // its disableAllHooks counts now, for its own
  CHECK(trusted.notices.empty());
  CHECK(trusted.ignored == 0);
}

TEST_CASE("disableAllHooks: a user's for all hooks, a project's for the project's own") {
  const auto said = [](const std::string& path, bool value, bool from_project) {
    return document(path, std::string(R"({"disableAllHooks": )") + (value ? "true}" : "false}"),
                    from_project);
  };
  const auto user = document("/user", one("Stop", "mine"));
  const auto project = document("/project", one("Stop", "theirs"), true);
  const auto hooks_with = [&](std::vector<SettingsDocument> more) {
    std::vector<SettingsDocument> all = {user, project};
    all.insert(all.end(), more.begin(), more.end());
    return commands(load_hooks(all, true).set);
  };
  CHECK(hooks_with({}) == Commands{"mine", "theirs"});
  CHECK(hooks_with({said("/local", true, true)}) == Commands{"mine"});
  CHECK(hooks_with({said("/p", true, true), said("/local", false, true)}) ==
        Commands{"mine", "theirs"});
  CHECK(hooks_with({said("/user2", true, false)}).empty());
  CHECK(hooks_with({said("/user2", true, false), said("/local", false, true)}).empty());
}

TEST_CASE("disableAllHooks: the last to say it") {
  const auto user = document("/user", one("Stop", "x"));
  const auto on = document("/on", R"({"disableAllHooks": true})");
  const auto off = document("/off", R"({"disableAllHooks": false})");
  const auto odd = document("/odd", R"({"disableAllHooks": "yes"})");
  CHECK(load_hooks({user, on}, true).set.hooks.empty());
  CHECK(load_hooks({on, user}, true).set.hooks.empty());
  CHECK(load_hooks({user, on, off}, true).set.hooks.size() == 1);
  const LoadedHooks loaded = load_hooks({user, odd}, true);
  CHECK(loaded.set.hooks.size() == 1);
  REQUIRE(loaded.notices.size() == 1);
  CHECK(loaded.notices[0].message == "/odd: disableAllHooks: expected true or false, got \"yes\"");
}

TEST_CASE("the files on disk: their order, whose they are, and what cannot be read") {
  const platform::test::Scratch scratch;
  const auto files = platform::make_disk_files();
  const std::string home = scratch / "home";
  const std::string work = scratch / "work";
  const auto put = [](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    platform::test::put(path, text);
  };
  const config::Environment environment = [&](const std::string& name) {
    return name == "HOME" ? std::optional<std::string>(home) : std::nullopt;
  };
  put(home + "/.claude/settings.json", one("Stop", "1"));
  put(home + "/.config/agentd/settings.json", one("Stop", "2"));
  put(work + "/.claude/settings.json", one("Stop", "3"));
  put(work + "/.claude/settings.local.json", one("Stop", "4"));
  put(work + "/.agentd/settings.json", one("Stop", "5"));
  put(work + "/.agentd/settings.local.json", one("Stop", "6"));

  SettingsDocuments documents = read_settings_documents(work, *files, environment);
  CHECK(documents.notices.empty());
  CHECK(commands(load_hooks(documents.list, true).set) == Commands{"1", "2", "3", "4", "5", "6"});
  CHECK(commands(load_hooks(documents.list, false).set) == Commands{"1", "2"});
  CHECK(read_settings_documents("", *files, environment).list.size() == 2);

  // In the home directory the user's own file is the user's.
  documents = read_settings_documents(home, *files, environment);
  CHECK(commands(load_hooks(documents.list, false).set) == Commands{"1", "2"});
  CHECK(load_hooks(documents.list, false).ignored == 0);

  // Of agentd's own files config/ tells.
  put(work + "/.claude/settings.json", "{broken");
  put(work + "/.claude/settings.local.json", "[]");
  put(work + "/.agentd/settings.json", "{broken");
  put(work + "/.agentd/settings.local.json", " \n");
  documents = read_settings_documents(work, *files, environment);
  CHECK(documents.list.size() == 2);
  REQUIRE(documents.notices.size() == 2);
  CHECK(documents.notices[0].message.starts_with(work + "/.claude/settings.json: "));
  CHECK(documents.notices[1].message ==
        work + "/.claude/settings.local.json: expected a JSON object");
}
