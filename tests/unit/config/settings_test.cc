// Layers of settings, their origins, and files that are broken or ask for too much.
#include "config/settings.h"

#include <doctest/doctest.h>

#include <map>

using namespace agentd;
using namespace agentd::config;

namespace {

class FakeFiles final : public platform::Files {
 public:
  std::map<std::string, std::string> content;
  std::map<std::string, Error> failing;

  Result<std::string> read(const std::string& path, std::uint64_t limit, platform::Links) override {
    if (const auto bad = failing.find(path); bad != failing.end()) return bad->second;
    const auto found = content.find(path);
    if (found == content.end()) return make_error(Code::not_found, "not there", path);
    if (found->second.size() > limit) return make_error(Code::too_large, "too large", path);
    return found->second;
  }
  Result<platform::FileInfo> info(const std::string& path, platform::Links) override {
    return no(path);
  }
  Result<std::string> read_range(const std::string& path, std::uint64_t, std::uint64_t,
                                 platform::Links) override {
    return no(path);
  }
  Result<void> replace(const std::string& path, std::string_view, platform::Links) override {
    return no(path);
  }
  Result<void> replace_with_mode(const std::string& path, std::string_view, std::uint32_t,
                                 platform::Links) override {
    return no(path);
  }
  Result<void> remove(const std::string& path, platform::Links) override { return no(path); }
  Result<std::string> canonical(const std::string& path) override { return no(path); }
  Result<std::vector<std::string>> list(const std::string& path, platform::Links) override {
    return no(path);
  }

 private:
  static Error no(const std::string& path) { return make_error(Code::internal, "unused", path); }
};

struct World {
  FakeFiles files;
  std::map<std::string, std::string> variables{{"HOME", "/home/u"}};

  LoadedSettings load(const std::string& directory = "/w") {
    return load_settings(directory, files,
                         [this](const std::string& name) -> std::optional<std::string> {
                           const auto found = variables.find(name);
                           if (found == variables.end()) return std::nullopt;
                           return found->second;
                         });
  }
};

const std::string kUser = "/home/u/.config/agentd/settings.json";
const std::string kProject = "/w/.agentd/settings.json";
const std::string kLocal = "/w/.agentd/settings.local.json";

}  // namespace

TEST_CASE("no files, no settings, no notices") {
  World world;
  const auto loaded = world.load();
  CHECK(!loaded.settings.model);
  CHECK(!loaded.settings.max_turns);
  CHECK(loaded.settings.origins.empty());
  CHECK(loaded.notices.empty());
}

TEST_CASE("every key is read") {
  World world;
  world.files.content[kUser] = R"({
    "model": "demo", "permissionMode": "bypass", "maxTurns": 7, "toolStart": "afterReply",
    "retry": {"attempts": 3, "delayMs": 1, "maxDelayMs": 2},
    "stall": {"firstByteMs": 4, "bytesMs": 5, "progressMs": 6},
    "anthropic": {"apiKey": "k", "baseUrl": "http://localhost:1"}})";
  const auto [settings, notices] = world.load();
  CHECK(notices.empty());
  CHECK(settings.model == "demo");
  CHECK(settings.permission_mode == PermissionMode::bypass);
  CHECK(settings.max_turns == 7);
  CHECK(settings.tool_start == ToolStart::after_reply);
  CHECK(settings.retry.attempts == 3);
  CHECK(settings.retry.delay_ms == 1);
  CHECK(settings.retry.max_delay_ms == 2);
  CHECK(settings.stall.first_byte_ms == 4);
  CHECK(settings.stall.bytes_ms == 5);
  CHECK(settings.stall.progress_ms == 6);
  CHECK(settings.anthropic_api_key == "k");
  CHECK(settings.anthropic_base_url == "http://localhost:1");
  CHECK(settings.origins.at("stall.bytesMs") == kUser);
}

TEST_CASE(
    "keys nobody knows are ignored, told with the file and what was meant, never their value") {
  const auto told = [](const std::string& json) {
    World world;
    world.files.content[kUser] = json;
    const auto notices = world.load().notices;
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].code == "settings_unknown");
    REQUIRE(notices[0].message.starts_with(kUser + ": "));
    return notices[0].message.substr(kUser.size() + 2);
  };
  CHECK(told(R"({"permisionMode":"plan"})") ==
        R"(unknown key "permisionMode" is ignored; did you mean "permissionMode"?)");
  CHECK(told(R"({"modle":"demo","maxTurns":3})") ==
        R"(unknown key "modle" is ignored; did you mean "model"?)");
  CHECK(told(R"({"retry":{"attemts":1,"delayMs":1}})") ==
        R"(unknown key "retry.attemts" is ignored; did you mean {"retry": {"attempts": ...}}?)");
  CHECK(told(R"({"anthropic.apiKey":"sk-secret"})") ==
        R"(unknown key "anthropic.apiKey" is ignored; )"
        R"(did you mean {"anthropic": {"apiKey": ...}}?)");
  CHECK(told(R"({"apiKey":"sk-secret"})") ==
        R"(unknown key "apiKey" is ignored; did you mean {"anthropic": {"apiKey": ...}}?)");
  CHECK(told(R"({"providers":{"gate":{"api":"openai-chat","baseUrl":"x","baseURI":"y"}}})") ==
        R"(unknown key "providers.gate.baseURI" is ignored; did you mean "baseUrl"?)");
  CHECK(told(R"({"somethingElse":{"of":"another version"},"$schema":"x"})") ==
        R"(unknown key "somethingElse" is ignored)");
  CHECK(told("{\"" + std::string(100'000, 'x') + "\":1}").size() < 120);
}

TEST_CASE("many keys nobody knows are no flood") {
  World world;
  world.files.content[kUser] = "{";
  for (int i = 0; i < 1'000; ++i) {
    world.files.content[kUser] += (i > 0 ? ",\"x" : "\"x") + std::to_string(i) + "\":1";
  }
  world.files.content[kUser] += "}";
  const auto notices = world.load().notices;
  REQUIRE(notices.size() == 11);
  CHECK(notices.back().message.ends_with("and 990 more unknown keys"));
}

TEST_CASE("later layers win, key by key, and origins say which") {
  World world;
  world.files.content[kUser] = R"({"model":"a/1","maxTurns":1,"retry":{"attempts":2}})";
  world.files.content[kProject] = R"({"model":"a/2","maxTurns":2,"retry":{"delayMs":9}})";
  world.files.content[kLocal] = R"({"model":"a/3"})";
  const auto settings = world.load().settings;
  CHECK(settings.model == "a/3");
  CHECK(settings.max_turns == 2);
  CHECK(settings.retry.attempts == 2);
  CHECK(settings.retry.delay_ms == 9);
  CHECK(settings.origins.at("model") == kLocal);
  CHECK(settings.origins.at("maxTurns") == kProject);
  CHECK(settings.origins.at("retry.attempts") == kUser);
  CHECK(world.load("").settings.model == "a/1");
}

TEST_CASE("the environment has the last word") {
  World world;
  world.files.content[kUser] = R"({"maxTurns":1,"anthropic":{"apiKey":"file","baseUrl":"file"}})";
  world.variables["AGENTD_MAX_TURNS"] = "12";
  world.variables["ANTHROPIC_API_KEY"] = "env";
  world.variables["ANTHROPIC_BASE_URL"] = "";
  const auto [settings, notices] = world.load();
  CHECK(notices.empty());
  CHECK(settings.max_turns == 12);
  CHECK(settings.anthropic_api_key == "env");
  CHECK(settings.anthropic_base_url == "file");
  CHECK(settings.origins.at("maxTurns") == "AGENTD_MAX_TURNS");
  for (const char* bad : {"x", "-1", "3 turns", "99999999999"}) {
    world.variables["AGENTD_MAX_TURNS"] = bad;
    const auto loaded = world.load();
    CHECK(loaded.settings.max_turns == 1);
    REQUIRE(loaded.notices.size() == 1);
    CHECK(loaded.notices[0].message.starts_with("AGENTD_MAX_TURNS: "));
  }
}

TEST_CASE("XDG_CONFIG_HOME counts where it is absolute") {
  World world;
  world.files.content["/x/agentd/settings.json"] = R"({"maxTurns":5})";
  world.files.content[kUser] = R"({"maxTurns":6})";
  CHECK(world.load().settings.max_turns == 6);
  world.variables["XDG_CONFIG_HOME"] = "/x";
  CHECK(world.load().settings.max_turns == 5);
  world.variables["XDG_CONFIG_HOME"] = "x";
  CHECK(world.load().settings.max_turns == 6);
  world.variables.clear();
  CHECK(!world.load().settings.max_turns);
}

TEST_CASE("a broken file is a notice with its place; the other layers count") {
  World world;
  world.files.content[kUser] = R"({"maxTurns":1})";
  world.files.content[kProject] = "{\n  \"maxTurns\": 2,\n}";
  auto loaded = world.load();
  CHECK(loaded.settings.max_turns == 1);
  REQUIRE(loaded.notices.size() == 1);
  CHECK(loaded.notices[0].code == "settings_broken");
  CHECK(loaded.notices[0].message.starts_with(kProject + ": "));
  CHECK(loaded.notices[0].message.find("line 3") != std::string::npos);

  for (const char* text : {"[]", "3", "\"x\"", "\xff"}) {
    world.files.content[kProject] = text;
    CHECK(world.load().notices.size() == 1);
  }
  world.files.content[kProject] = " \n";
  CHECK(world.load().notices.empty());
  world.files.failing.emplace(kProject, make_error(Code::invalid_input, "is a FIFO", kProject));
  CHECK(world.load().notices.size() == 1);
}

TEST_CASE("a value of the wrong shape costs its own key only") {
  World world;
  world.files.content[kUser] =
      R"({"model":3,"maxTurns":-1,"retry":{"attempts":"many"},"permissionMode":"yolo",
          "toolStart":"afterReply"})";
  const auto [settings, notices] = world.load();
  CHECK(settings.tool_start == ToolStart::after_reply);
  CHECK(!settings.model);
  CHECK(!settings.max_turns);
  CHECK(!settings.retry.attempts);
  CHECK(!settings.permission_mode);
  REQUIRE(notices.size() == 4);
  for (const auto& notice : notices) {
    CHECK(notice.code == "settings_value");
    CHECK(notice.message.starts_with(kUser + ": "));
  }
}

TEST_CASE("a project cannot loosen what the user decided") {
  World world;
  const auto mode_from_project = [&](const char* users, const char* projects) {
    world.files.content[kUser] = users;
    world.files.content[kProject] = projects;
    return world.load();
  };
  auto loaded = mode_from_project("{}", R"({"permissionMode":"bypass"})");
  CHECK(!loaded.settings.permission_mode);
  REQUIRE(loaded.notices.size() == 1);
  CHECK(loaded.notices[0].code == "settings_ignored");
  CHECK(!mode_from_project("{}", R"({"permissionMode":"acceptEdits"})").settings.permission_mode);
  loaded = mode_from_project(R"({"permissionMode":"plan"})", R"({"permissionMode":"ask"})");
  CHECK(loaded.settings.permission_mode == PermissionMode::plan);

  loaded = mode_from_project("{}", R"({"permissionMode":"plan"})");
  CHECK(loaded.settings.permission_mode == PermissionMode::plan);
  CHECK(loaded.notices.empty());
  loaded = mode_from_project(R"({"permissionMode":"bypass"})", R"({"permissionMode":"ask"})");
  CHECK(loaded.settings.permission_mode == PermissionMode::ask);
}

TEST_CASE("keys, addresses and scripts never come from a project") {
  World world;
  for (const auto& file : {kProject, kLocal}) {
    world.files.content.clear();
    world.files.content[file] =
        R"({"anthropic":{"apiKey":"stolen","baseUrl":"http://evil"},"model":"script:evil",)"
        R"("providers":{"ollama":{"api":"openai-chat","baseUrl":"http://evil"}}})";
    const auto [settings, notices] = world.load();
    CHECK(settings.anthropic_api_key.empty());
    CHECK(settings.anthropic_base_url.empty());
    CHECK(settings.providers.empty());
    CHECK(!settings.model);
    CHECK(notices.size() == 2);
  }
}

TEST_CASE("what is about hooks is known here, and judged elsewhere") {
  for (const char* text :
       {R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "x"}]}], "NoSuchEvent": {"a": {}}}})",
        R"({"hooks": 5, "disableAllHooks": "yes"})", R"({"disableAllHooks": true})"}) {
    World world;
    world.files.content[kUser] = text;
    CHECK(world.load().notices.empty());
  }
}

TEST_CASE("providers: each by its name, its key from the variable it names") {
  World world;
  world.variables["GATE_KEY"] = "k";
  world.files.content[kUser] = R"({"providers": {
    "gate": {"api": "openai-chat", "baseUrl": "https://gate/v1", "apiKeyEnv": "GATE_KEY",
             "models": ["big", "small"]},
    "my.own": {"api": "openai-chat", "baseUrl": "http://127.0.0.1:1", "thinkTags": true}}})";
  const auto [settings, notices] = world.load();
  CHECK(notices.empty());
  REQUIRE(settings.providers.size() == 2);
  const Provider& gate = settings.providers[0];
  CHECK(gate.name == "gate");
  CHECK(gate.base_url == "https://gate/v1");
  CHECK(gate.api_key_env == "GATE_KEY");
  CHECK(gate.api_key == "k");
  CHECK(gate.models == std::vector<std::string>{"big", "small"});
  CHECK(gate.origin == kUser);
  CHECK(settings.providers[1].think_tags);
  CHECK(settings.providers[1].api_key.empty());
}

TEST_CASE("a provider that is wrong costs itself only, and is told with its place") {
  const auto told = [](const std::string& provider) {
    World world;
    world.files.content[kUser] =
        R"({"providers": {"good": {"api":"openai-chat","baseUrl":"http://a"},)" + provider + "}}";
    const auto [settings, notices] = world.load();
    CHECK(settings.providers.size() == 1);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].code == "settings_value");
    return notices[0].message;
  };
  const auto holds = [](const std::string& text, const char* part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(holds(told(R"("x": {"api":"openai-chat"})"), "providers.x.baseUrl: missing"));
  CHECK(holds(told(R"("x": {"api":"telepathy","baseUrl":"http://a"})"), "\"openai-chat\""));
  CHECK(holds(told(R"("x": 1)"), "providers.x"));
  CHECK(holds(told(R"("a/b": {"api":"openai-chat","baseUrl":"http://a"})"), "name has letters"));
  CHECK(holds(told(R"("demo": {"api":"openai-chat","baseUrl":"http://a"})"), "taken"));
  CHECK(holds(told(R"("x": {"api":"openai-chat","baseUrl":"http://a","apiKeyEnv":"PATH"})"),
              "commands see the variable PATH"));
}

TEST_CASE("the variables of the endpoints that need no settings") {
  World world;
  world.variables["OPENAI_API_KEY"] = "sk";
  world.variables["OPENAI_BASE_URL"] = "http://127.0.0.1:8080/v1";
  world.variables["OLLAMA_HOST"] = "box:11434";
  const auto [settings, notices] = world.load();
  CHECK(notices.empty());
  CHECK(settings.openai_api_key == "sk");
  CHECK(settings.openai_base_url == "http://127.0.0.1:8080/v1");
  CHECK(settings.ollama_host == "box:11434");
}
