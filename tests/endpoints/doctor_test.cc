// `agentd doctor`, the real binary, against endpoints on the loopback that answer, refuse the key,
// are silent, or are something else.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "support/model_server.h"

using namespace agentd::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Workspace {
  Workspace() {
    std::string name = (fs::temp_directory_path() / "agentd-doctor-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = fs::canonical(name);
    fs::create_directories(root / "work/.agentd");
    fs::create_directories(root / "home/.config/agentd");
  }
  ~Workspace() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(root / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path root;
};

struct Examined {
  int code = -1;
  std::string text;
};

// `agentd doctor FLAGS` in the workspace, with nothing but `environment` besides PATH and HOME.
Examined examine(const Workspace& workspace, const std::string& environment,
                 const std::string& flags) {
  const std::string root = workspace.root.string();
  const std::string command = "cd " + root + "/work && env -i PATH=\"$PATH\" HOME=" + root +
                              "/home OLLAMA_HOST=127.0.0.1:1 " + environment + " timeout 60 " +
                              AGENTD_BINARY + " doctor " + flags + " >" + root + "/out 2>" + root +
                              "/err";
  const int status = std::system(command.c_str());
  CHECK(workspace.read("err").empty());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, workspace.read("out")};
}

// The findings about `subject`, of --json.
std::vector<Json> about(const std::string& subject, const std::string& text) {
  std::vector<Json> found;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;) {
    const Json finding = Json::parse(text.substr(begin, end - begin));
    if (finding["subject"] == subject) found.push_back(finding);
    begin = end + 1;
  }
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kModels = R"({"data": [{"id": "claude-sonnet-5-5"}, {"id": "big"}]})";

}  // namespace

TEST_CASE("doctor: what each kind of endpoint is told to be") {
  struct Row {
    ServerReply reply;
    std::string level;
    std::string what;
    std::string fix;
  };
  ServerReply silent = ServerReply::json(200, kModels);
  silent.hold = std::make_shared<Gate>();
  ServerReply page = ServerReply::json(200, "<!doctype html><html>Hello</html>");
  page.headers = {{"content-type", "text/html"}};
  ServerReply elsewhere = ServerReply::json(302, "");
  elsewhere.headers = {{"location", "http://127.0.0.1:1/login"}};
  const std::vector<Row> rows = {
      {ServerReply::json(200, kModels), "ok", "answers and accepts the key", ""},
      {ServerReply::json(401, R"({"error": {"message": "invalid x-api-key: sk-secret"}})"), "fail",
       "refuses the key (status 401): invalid x-api-key: [key]", "set another ANTHROPIC_API_KEY"},
      {silent, "fail", "did not answer in 3 s", "check ANTHROPIC_BASE_URL"},
      {page, "fail", "it sends a page (HTML)", "check ANTHROPIC_BASE_URL"},
      {elsewhere, "fail", "status 302", "check ANTHROPIC_BASE_URL"},
      {ServerReply::json(404, "{}"), "warn", "no list of models (status 404)", ""},
      {ServerReply::json(529, R"({"error": {"message": "Overloaded"}})"), "fail",
       "status 529: Overloaded", "try again later"},
      {ServerReply::broken(), "fail", "cannot be reached", "check ANTHROPIC_BASE_URL"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Workspace workspace;
    ModelServer server;
    server.set_handler([&row](const SeenRequest&) { return row.reply; });
    const Examined got = examine(
        workspace, "ANTHROPIC_API_KEY=sk-secret ANTHROPIC_BASE_URL=" + server.url(), "--json");
    CHECK(got.code == (row.level == "fail" ? 1 : 0));
    const auto findings = about("anthropic", got.text);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0]["level"] == row.level);
    CHECK_MESSAGE(has(findings[0]["what"], row.what), findings[0].dump());
    CHECK_MESSAGE(has(findings[0].value("fix", ""), row.fix), findings[0].dump());
    CHECK_FALSE(has(got.text, "sk-secret"));
    REQUIRE(!server.requests().empty());
    CHECK(server.requests()[0].method == "GET");
    CHECK(server.requests()[0].path == "/v1/models?limit=1000");
    CHECK(*server.requests()[0].header("x-api-key") == "sk-secret");
  }
}

TEST_CASE("doctor: a provider of one's own, its key and its models") {
  Workspace workspace;
  ModelServer server;
  server.set_handler([](const SeenRequest&) { return ServerReply::json(200, kModels); });
  const auto settings = [&](const std::string& model) {
    workspace.write("home/.config/agentd/settings.json",
                    R"({"model": "gate/)" + model +
                        R"(", "providers": {"gate": {"api": "openai-chat", "apiKeyEnv": "GATE_KEY",
                        "baseUrl": ")" +
                        server.url() + R"(/v1"}}})");
  };
  settings("big");
  Examined got = examine(workspace, "GATE_KEY=g-secret", "--json");
  CHECK(got.code == 0);
  CHECK(has(about("model", got.text)[0]["what"], "gate/big"));
  CHECK(about("gate", got.text)[0]["level"] == "ok");
  CHECK(server.requests()[0].path == "/v1/models");
  CHECK(*server.requests()[0].header("authorization") == "Bearer g-secret");
  CHECK_FALSE(has(got.text, "g-secret"));

  settings("small");
  got = examine(workspace, "GATE_KEY=g-secret", "--json");
  CHECK(got.code == 0);
  CHECK(about("gate", got.text)[0]["level"] == "warn");
  CHECK(has(about("gate", got.text)[0]["what"], "does not list gate/small"));

  const std::size_t asked = server.requests().size();
  got = examine(workspace, "", "--json");
  CHECK(got.code == 1);
  CHECK(about("model", got.text)[0]["level"] == "fail");
  CHECK(has(about("gate", got.text)[0]["what"], "GATE_KEY is not set"));
  CHECK(server.requests().size() == asked);
}

TEST_CASE("doctor --offline asks nobody") {
  Workspace workspace;
  ModelServer server;
  const Examined got = examine(workspace, "ANTHROPIC_API_KEY=k ANTHROPIC_BASE_URL=" + server.url(),
                               "--offline --json");
  CHECK(got.code == 0);
  CHECK(has(about("anthropic", got.text)[0]["what"], "not asked"));
  CHECK(server.requests().empty());
}

TEST_CASE("doctor: files, trust, hooks and directories") {
  Workspace workspace;
  const std::string work = (workspace.root / "work").string();
  workspace.write("home/.config/agentd/settings.json",
                  R"({"permissionMode": "acceptEdits", "maxTurn": 3, "hooks": {"Stop": [{"hooks": [
                     {"type": "command", "command": "true"},
                     {"type": "command", "command": "python3 /gone/guard.py"}]}]}})");
  workspace.write("work/.agentd/settings.json",
                  R"({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}})");
  workspace.write("work/.agentd/settings.local.json", "{broken");
  Examined got = examine(workspace, "TMPDIR=/gone-for-good", "--offline --json");
  CHECK(got.code == 1);
  const auto settings = about("settings", got.text);
  REQUIRE(settings.size() == 3);
  CHECK(settings[0]["what"] == work + "/.agentd/settings.json");
  std::map<std::string, Json> by_level;
  for (const Json& each : settings) by_level[each["level"]] = each;
  CHECK(has(by_level["warn"]["what"], "did you mean \"maxTurns\"?"));
  CHECK(has(by_level["fail"]["what"], work + "/.agentd/settings.local.json: "));
  const auto workspaces = about("workspace", got.text);
  CHECK(workspaces[0]["level"] == "warn");
  CHECK(workspaces[0]["fix"] == "agentd trust " + work);
  CHECK(has(about("permissions", got.text)[0]["what"], "acceptEdits"));
  const auto hooks = about("hooks", got.text);
  REQUIRE(hooks.size() == 2);
  CHECK(hooks[0]["what"] == "2 of Stop");
  CHECK(has(hooks[1]["what"], "needs /gone/guard.py"));
  CHECK(about("data dir", got.text)[0]["level"] == "ok");
  CHECK(about("temporary dir", got.text)[0]["level"] == "fail");
}

TEST_CASE("doctor prints aligned lines; with nothing configured nothing fails") {
  Workspace workspace;
  const Examined got = examine(workspace, "", "");
  CHECK_MESSAGE(got.code == 0, got.text);
  CHECK(got.text.starts_with("ok    agentd         "));
  CHECK(has(got.text, "\nwarn  model          demo, "));
  CHECK(has(got.text, "  -> set ANTHROPIC_API_KEY, "));
  CHECK(has(got.text, "\nwarn  ollama         http://127.0.0.1:1/v1 cannot be reached"));
  CHECK(has(got.text, "\nok    rg             ripgrep "));
  std::size_t column = 0;
  for (std::size_t begin = 0, end = 0; (end = got.text.find('\n', begin)) != std::string::npos;) {
    const std::string line = got.text.substr(begin, end - begin);
    const std::size_t what = line.find_first_not_of(' ', line.find("  ", 6));
    if (column == 0) column = what;
    CHECK_MESSAGE(what == column, line);
    begin = end + 1;
  }
}
