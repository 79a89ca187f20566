// The pure parts of `agentd doctor`: facts to findings, findings to text, commands to what they
// need, answers of endpoints.
#include <doctest/doctest.h>

#include "server/doctor/checks.h"
#include "server/doctor/command_words.h"
#include "server/doctor/endpoints.h"

using namespace agentd;
using namespace agentd::server::doctor;

namespace {

EndpointFact endpoint(Answer answer, bool answers_runs = true) {
  EndpointFact fact;
  fact.name = "gate";
  fact.base_url = "http://gate/v1";
  fact.base_url_from = "/s.json: providers.gate.baseUrl";
  fact.key_from = "GATE_KEY";
  fact.answers_runs = answers_runs;
  fact.answer = answer;
  fact.status = 418;
  return fact;
}

std::vector<std::string> needed_by(const std::string& command) {
  hooks::Hook hook;
  hook.command = command;
  return needed(hook, "/ws", "/home/u");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an endpoint: what its answer weighs, for the model in use and for others") {
  struct Row {
    Answer answer;
    Level in_use;
    Level other;
    bool has_fix;
  };
  const std::vector<Row> rows = {
      {Answer::not_asked, Level::ok, Level::ok, false},
      {Answer::unusable, Level::fail, Level::warn, false},
      {Answer::answered, Level::ok, Level::ok, false},
      {Answer::no_list, Level::warn, Level::warn, true},
      {Answer::refused, Level::fail, Level::warn, true},
      {Answer::not_an_api, Level::fail, Level::warn, true},
      {Answer::failing, Level::fail, Level::warn, true},
      {Answer::silent, Level::fail, Level::warn, true},
      {Answer::no_contact, Level::fail, Level::warn, true},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.answer));
    const Finding in_use = check_endpoint(endpoint(row.answer), "gate/big");
    CHECK(in_use.level == row.in_use);
    CHECK(in_use.subject == "gate");
    CHECK(in_use.fix.empty() != row.has_fix);
    CHECK(check_endpoint(endpoint(row.answer, false), "demo").level == row.other);
  }
}

TEST_CASE(
    "an endpoint that lists models is held to its list; Ollama is told by what it calls them") {
  EndpointFact fact = endpoint(Answer::answered);
  CHECK(check_endpoint(fact, "gate/big").level == Level::ok);  // no list to speak of
  fact.models = {"small", "big"};
  CHECK(check_endpoint(fact, "gate/big").level == Level::ok);
  CHECK(check_endpoint(fact, "gate/huge").level == Level::warn);
  CHECK(has(check_endpoint(fact, "gate/huge").fix, "gate/small"));
  fact.answers_runs = false;
  CHECK(check_endpoint(fact, "other/huge").level == Level::ok);
  fact.name = "ollama";
  fact.answers_runs = true;
  fact.models = {"qwen3:latest"};
  CHECK(check_endpoint(fact, "ollama/qwen3").level == Level::ok);
  CHECK(check_endpoint(fact, "ollama/llama").fix == "ollama pull llama");
}

TEST_CASE("an Ollama that nobody asked for need not run") {
  EndpointFact fact = endpoint(Answer::no_contact, false);
  fact.name = "ollama";
  fact.optional = true;
  CHECK(check_endpoint(fact, "demo").level == Level::ok);
  fact.answers_runs = true;
  CHECK(check_endpoint(fact, "ollama/x").level == Level::fail);
}

TEST_CASE("responses of endpoints to answers") {
  struct Row {
    int status;
    std::string body;
    Answer answer;
    std::string detail;
  };
  const std::vector<Row> rows = {
      {200, R"({"data": [{"id": "a"}, {"id": 5}, 7]})", Answer::answered, ""},
      {200, R"({"data": []})", Answer::answered, ""},
      {200, R"({"models": []})", Answer::not_an_api, ""},
      {200, "", Answer::not_an_api, ""},
      {200, "<HTML\xFF", Answer::not_an_api, ""},
      {200, "<!doctype html><html lang=en>", Answer::not_an_api, "it sends a page (HTML)"},
      {301, "", Answer::not_an_api, "status 301"},
      {401, R"({"error": {"message": "bad KEY"}})", Answer::refused, "bad [key]"},
      {403, R"({"error": "no"})", Answer::refused, "no"},
      {404, "", Answer::no_list, ""},
      {405, "", Answer::no_list, ""},
      {400, R"({"message": "odd"})", Answer::failing, "odd"},
      {503, "<html>", Answer::failing, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.status);
    CAPTURE(row.body);
    EndpointFact fact;
    Response response;
    response.head.status = row.status;
    response.body = row.body;
    response.ended = true;
    read_answer(response, "KEY", fact);
    CHECK(fact.answer == row.answer);
    CHECK(has(fact.detail, row.detail));
    CHECK(fact.models.size() == (has(row.body, "\"a\"") ? 1 : 0));
  }
  EndpointFact fact;
  read_answer({}, "KEY", fact);
  CHECK(fact.answer == Answer::silent);
  Response cut;
  cut.ended = true;
  cut.fault = platform::HttpFault{platform::HttpFault::Kind::connect, "refused for KEY"};
  read_answer(cut, "KEY", fact);
  CHECK(fact.answer == Answer::no_contact);
  CHECK(fact.detail == "refused for [key]");
}

TEST_CASE("addresses are told without a password") {
  CHECK(without_credentials("http://u:p@host:1/a@b") == "http://host:1/a@b");
  CHECK(without_credentials("http://host/a@b") == "http://host/a@b");
  CHECK(without_credentials("u:p@proxy:3128") == "proxy:3128");
  CHECK(without_credentials("http://u:p@q@host") == "http://host");
  CHECK(without_credentials("") == "");
}

TEST_CASE("what a hook's command needs, as far as its text tells") {
  using List = std::vector<std::string>;
  CHECK(needed_by("prettier --write x") == List{"prettier"});
  CHECK(needed_by("FOO=1 BAR='a b' ./check.sh") == List{"./check.sh"});
  CHECK(needed_by("\"$CLAUDE_PROJECT_DIR\"/hooks/check.sh | tee x") == List{"/ws/hooks/check.sh"});
  CHECK(needed_by("${AGENTD_PROJECT_DIR}/x;true") == List{"/ws/x"});
  CHECK(needed_by("~/bin/x") == List{"/home/u/bin/x"});
  CHECK(needed_by("python3 \"$HOME/guard.py\" --strict") == List{"python3", "/home/u/guard.py"});
  CHECK(needed_by("python3 -m guard /x") == List{"python3"});
  CHECK(needed_by("bash guard") == List{"bash"});
  CHECK(needed_by("jq -r .x") == List{"jq"});
  CHECK(needed_by("cat <<X") == List{"cat"});
  // Nothing can be said.
  for (const char* command :
       {"if true; then x; fi", "echo hi", "[ -f x ] && y", "$TOOL x", "(cd a; b)", "`which x`",
        "{ a; }", "! x", "\"unclosed", "", "  ", "# comment", "*.sh", "x\\ y"}) {
    CAPTURE(command);
    CHECK(needed_by(command).empty());
  }
  hooks::Hook program;
  program.command = "/opt/a b";
  program.args = std::vector<std::string>{"x"};
  CHECK(needed(program, "/ws", "/home/u") == List{"/opt/a b"});
}

TEST_CASE("settings: a file without faults is fine, each fault is told for itself") {
  SettingsFact settings;
  CHECK(check_settings(settings).size() == 1);
  settings.files = {"/good.json", "/odd.json"};
  settings.notices = {{"settings_unknown", "/odd.json: unknown key"},
                      {"settings_broken", "/bad.json: line 1"}};
  const Findings findings = check_settings(settings);
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].what == "/good.json");
  CHECK(findings[1].level == Level::warn);
  CHECK(findings[2].level == Level::fail);
}

TEST_CASE("model, key, program, directory, network: one line each") {
  CHECK(check_model({"demo", "", ""}).level == Level::warn);
  CHECK(check_model({"demo", "/s.json", ""}).level == Level::ok);
  CHECK(check_model({"x", "/s.json", "There is no model"}).level == Level::fail);
  CHECK(check_key({"K", true, true}).level == Level::ok);
  CHECK(check_key({"K", false, false}).level == Level::ok);
  CHECK(check_key({"K", false, true}).level == Level::warn);
  CHECK(check_program({"rg", "ripgrep 13"}).level == Level::ok);
  CHECK(check_program({"rg", std::nullopt}).level == Level::fail);
  CHECK(check_program({"git", std::nullopt}).level == Level::warn);
  CHECK(check_directory({"data", "/d", ""}).level == Level::ok);
  CHECK(check_directory({"data", "/d", "no"}).level == Level::warn);
  CHECK(check_directory({"temporary", "/d", "no"}).level == Level::fail);
  CHECK(check_directory({"config", "", ""}).level == Level::warn);
  CHECK(check_network({"https_proxy", "p", false, true}).level == Level::ok);
  CHECK(check_network({"SSL_CERT_FILE", "/gone", true, false}).level == Level::fail);
}

TEST_CASE("workspace: trust, and what is ignored without it") {
  WorkspaceFact fact;
  fact.path = "/ws";
  CHECK(check_workspace(fact)[0].level == Level::ok);
  fact.ignored_hooks = 2;
  CHECK(check_workspace(fact)[0].level == Level::warn);
  CHECK(check_workspace(fact)[0].fix == "agentd trust /ws");
  fact.trust_fault = "broken";
  CHECK(check_workspace(fact).size() == 2);
  fact.fault = "/ws is no directory";
  CHECK(check_workspace(fact).size() == 1);
  CHECK(any_failed(check_workspace(fact)));
}

TEST_CASE("findings are printed aligned, on one line each, harmless to a terminal") {
  const Findings findings = {{Level::ok, "a", "fine"},
                             {Level::warn, "longer", "two\nlines\x1b[2J", "do \"this\""}};
  CHECK(as_lines(findings) ==
        "ok    a       fine\nwarn  longer  two lines\\x1b[2J  -> do \"this\"\n");
  CHECK(as_json(findings) ==
        "{\"level\":\"ok\",\"subject\":\"a\",\"what\":\"fine\"}\n"
        "{\"level\":\"warn\",\"subject\":\"longer\",\"what\":\"two\\nlines\\u001b[2J\","
        "\"fix\":\"do \\\"this\\\"\"}\n");
  CHECK_FALSE(any_failed(findings));
  CHECK(any_failed({{Level::fail, "a", "b"}}));
}
