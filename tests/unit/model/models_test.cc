// Names of models, the demo's replies, and what is offered with and without a key.
#include "model/models.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

#include "model/address.h"
#include "model/catalog.h"
#include "model/script_player.h"
#include "model/scripted.h"
#include "model/system_prompt.h"
#include "support/assembled_reply.h"
#include "support/fake_clock.h"

using namespace agentd;
using namespace agentd::model;
using agentd::test::AssembledReply;

namespace {

// Nothing here may go out to the network.
class NoHttp final : public platform::Http {
 public:
  std::unique_ptr<platform::Transfer> post(platform::HttpRequest,
                                           platform::HttpCallbacks) override {
    FAIL("no request expected");
    return nullptr;
  }
  std::unique_ptr<platform::Transfer> get(platform::HttpRequest, platform::HttpCallbacks) override {
    FAIL("no request expected");
    return nullptr;
  }
};

struct Rig {
  explicit Rig(const std::string& key) : Rig(Credentials{.anthropic_key = key}) {}
  explicit Rig(Credentials credentials) : models(std::move(credentials), {}, clock, http) {}
  test::FakeClock clock;
  NoHttp http;
  Models models;
};

std::string numbered(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += "     " + std::to_string(i + 1) + "\t" + lines[i] + "\n";
  }
  return text;
}

// The demo's side of a run: what it said and called, request by request.
class Demo {
 public:
  explicit Demo(const std::string& prompt) {
    messages_.push_back(std::make_shared<const Message>(
        Message{Role::user,
                {TextBlock{"<environment>\nWorking directory: /home/me/tool\n</environment>"},
                 TextBlock{prompt}}}));
  }

  AssembledReply next() {
    ModelRequest request;
    request.messages = messages_;
    AssembledReply reply;
    for (const ScriptStep& step : steps_for(script_, request)) reply.take(step.events);
    CHECK(reply.broken.empty());
    CHECK_FALSE(reply.failure);
    return reply;
  }
  AssembledReply next(const std::string& result, bool is_error = false) {
    messages_.push_back(std::make_shared<const Message>(
        Message{Role::assistant, {ToolUseBlock{"x", "x", Json::object()}}}));
    messages_.push_back(std::make_shared<const Message>(
        Message{Role::user, {ToolResultBlock{"x", {TextBlock{result}}, is_error}}}));
    return next();
  }

 private:
  Script script_ = *parse_script(demo_script());
  std::vector<MessagePtr> messages_;
};

// The one call of a reply: its tool and input.
std::pair<std::string, Json> call_of(const AssembledReply& reply) {
  for (const auto& block : reply.blocks) {
    if (block.kind == BlockKind::tool_use) return {block.tool_name, Json::parse(block.text)};
  }
  return {};
}

bool says(const AssembledReply& reply, const std::string& text) {
  for (const auto& block : reply.blocks) {
    if (block.kind == BlockKind::text && block.text.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("names") {
  Rig rig(" KEY\n");
  const auto named = rig.models.resolve("anthropic/claude-opus-4-5");
  REQUIRE(named);
  CHECK(named->provider_name == "anthropic");
  CHECK(named->model == "claude-opus-4-5");
  CHECK(named->name == "anthropic/claude-opus-4-5");
  REQUIRE(rig.models.resolve("anthropic/claude-of-tomorrow"));
  REQUIRE(rig.models.resolve("demo"));
  for (const char* unknown : {"", "gpt", "claude-opus-4-5", "anthropic/", "openai/gpt"}) {
    CAPTURE(unknown);
    const auto result = rig.models.resolve(unknown);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == Code::not_found);
    CHECK(result.error().message.find("anthropic/NAME") != std::string::npos);
  }
  CHECK(rig.models.default_name() == "anthropic/" + std::string(default_anthropic_model()));
}

TEST_CASE("an address that is none is refused before any request, by its setting's name") {
  for (const char* bad : {"ftp://x", "nonsense url", "http://", "https:///v1", "http://a b", "x"}) {
    CAPTURE(bad);
    Rig rig(Credentials{.anthropic_key = "KEY", .anthropic_base_url = bad});
    const auto result = rig.models.resolve("anthropic/claude-opus-4-5");
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().where == "ANTHROPIC_BASE_URL");
    CHECK(result.error().message ==
          "ANTHROPIC_BASE_URL \"" + std::string(bad) + "\" is not an http or https address");
    CHECK(rig.models.resolve("demo"));
  }
  for (const char* good : {"http://127.0.0.1:80/", "HTTPS://a/v1", "http://u:p@[::1]:1"}) {
    CAPTURE(good);
    CHECK(is_http_address(good));
  }
  CHECK(host_of("http://user:secret@host:8/path?x") == "host:8");
}

TEST_CASE("an address with a query or a fragment is refused, without quoting it") {
  for (const char* bad : {"http://host/?key=secret", "https://host/v1#secret", "http://host?"}) {
    CAPTURE(bad);
    Rig rig(Credentials{.anthropic_key = "KEY", .anthropic_base_url = bad});
    const auto result = rig.models.resolve("anthropic/claude-opus-4-5");
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().where == "ANTHROPIC_BASE_URL");
    CHECK(result.error().message.starts_with("ANTHROPIC_BASE_URL has a query or a fragment"));
    CHECK(result.error().message.find("secret") == std::string::npos);
  }
}

TEST_CASE("a key with control characters within is refused") {
  for (const std::string bad : {"KEY\r\nx-more: 1", "K\tEY", "KEY\x7F", "\x01KEY"}) {
    CAPTURE(bad);
    Rig rig(bad);
    const auto result = rig.models.resolve("anthropic/claude-opus-4-5");
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().where == "ANTHROPIC_API_KEY");
    CHECK(result.error().message.find("control characters") != std::string::npos);
  }
}

TEST_CASE("without a key there is the demo") {
  Rig rig("");
  CHECK(rig.models.default_name() == "demo");
  const auto result = rig.models.resolve("anthropic/claude-opus-4-5");
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == Code::unavailable);
  CHECK(result.error().message.find("ANTHROPIC_API_KEY") != std::string::npos);
  for (const ModelListing& listing : rig.models.list()) {
    CAPTURE(listing.name);
    CHECK(listing.available == (listing.name == "demo"));
    CHECK(listing.facts.default_output <= listing.facts.maximum_output);
  }
}

TEST_CASE("endpoints of Chat Completions, by their names") {
  ChatEndpoint local{.name = "ollama",
                     .base_url = "http://127.0.0.1:11434/v1",
                     .base_url_from = "OLLAMA_HOST",
                     .key_wanted = false};
  ChatEndpoint openai{.name = "openai-chat",
                      .base_url = std::string(kOpenAiBaseUrl),
                      .base_url_from = "OPENAI_BASE_URL",
                      .key_from = "OPENAI_API_KEY"};
  ChatEndpoint gate{.name = "gate",
                    .base_url = "ftp://x",
                    .base_url_from = "FILE: gate",
                    .key = "a\nb",
                    .key_from = "GATE_KEY",
                    .models = {"big"}};
  Credentials credentials;
  credentials.chat_endpoints = {local, openai, gate};
  Rig rig(credentials);

  const auto found = rig.models.resolve("ollama/hf.co/some/model:q4");
  REQUIRE(found);
  CHECK(found->provider_name == "ollama");
  CHECK(found->model == "hf.co/some/model:q4");
  CHECK(found->facts.default_output == 0);

  const auto fault = [&](const char* name) { return rig.models.resolve(name).error(); };
  CHECK(fault("openai-chat/gpt-5").code == Code::unavailable);
  CHECK(fault("openai-chat/gpt-5").message.find("OPENAI_API_KEY") != std::string::npos);
  CHECK(fault("gate/big").where == "GATE_KEY");
  CHECK(fault("ollama/").code == Code::not_found);
  CHECK(fault("ollama").code == Code::not_found);

  credentials.chat_endpoints[1].key = "sk";
  credentials.chat_endpoints[2].key = "k";
  Rig with_keys(credentials);
  CHECK(with_keys.models.resolve("openai-chat/gpt-4o-2024-08-06")->facts.maximum_output == 16'384);
  CHECK(with_keys.models.resolve("gate/big").error().where == "FILE: gate");
  CHECK(with_keys.models.default_name() == "demo");
}

TEST_CASE("what endpoints of Chat Completions list") {
  const auto listed = [](ChatEndpoint endpoint) {
    Credentials credentials;
    credentials.chat_endpoints = {std::move(endpoint)};
    std::vector<std::string> names;
    for (const ModelListing& listing : Rig(credentials).models.list()) {
      if (listing.provider == "anthropic" || listing.provider == "demo") continue;
      names.push_back(listing.name + (listing.available ? "" : " (no key)"));
    }
    return names;
  };
  CHECK(listed({.name = "gate",
                .base_url = "http://a",
                .key_wanted = false,
                .models = {"big", "a/b"}}) == std::vector<std::string>{"gate/big", "gate/a/b"});
  const auto openai = listed({.name = "openai-chat", .base_url = std::string(kOpenAiBaseUrl)});
  CHECK(openai.size() == openai_models().size());
  CHECK(openai.front() == "openai-chat/gpt-5.1 (no key)");
  CHECK(listed({.name = "openai-chat", .base_url = "http://127.0.0.1:1", .key_wanted = false})
            .empty());
}

TEST_CASE("Ollama's address, in the forms its own tools take") {
  CHECK(ollama_base_url("") == "http://127.0.0.1:11434/v1");
  CHECK(ollama_base_url("0.0.0.0") == "http://127.0.0.1:11434/v1");
  CHECK(ollama_base_url("0.0.0.0:8080") == "http://127.0.0.1:8080/v1");
  CHECK(ollama_base_url(":8080") == "http://127.0.0.1:8080/v1");
  CHECK(ollama_base_url("box") == "http://box:11434/v1");
  CHECK(ollama_base_url("box:1") == "http://box:1/v1");
  CHECK(ollama_base_url("[::1]") == "http://[::1]:11434/v1");
  CHECK(ollama_base_url("http://box/") == "http://box/v1");
  CHECK(ollama_base_url("https://box/ollama") == "https://box/ollama/v1");
  CHECK(ollama_base_url("https://box:1/v1") == "https://box:1/v1");
}

TEST_CASE("scripts from files") {
  Rig rig("");
  const auto missing = rig.models.resolve("script:/no/such/file");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == Code::not_found);

  char path[] = "/tmp/agentd-script-XXXXXX";
  const int fd = mkstemp(path);
  REQUIRE(fd >= 0);
  std::ofstream(path) << "reply\n  text hi\n  sing\n";
  const auto broken = rig.models.resolve(std::string("script:") + path);
  std::ofstream(path) << "reply\n  text hi\n";
  const auto good = rig.models.resolve(std::string("script:") + path);
  std::remove(path);
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().message == std::string(path) + ": line 3: unknown word \"sing\"");
  CHECK(good.has_value());
}

TEST_CASE("facts: dates are looked past, unknown names get safe defaults") {
  CHECK(anthropic_facts("claude-opus-4-6").context_window == 1'000'000);
  CHECK(anthropic_facts("claude-sonnet-4-5-20250929").maximum_output == 64'000);
  CHECK(anthropic_facts("claude-3-haiku-20240307").default_output == 4'096);
  // A model that does not know the parameter refuses the request.
  CHECK(anthropic_facts("claude-sonnet-5-5").adaptive_thinking);
  CHECK_FALSE(anthropic_facts("claude-opus-4-5").adaptive_thinking);
  CHECK_FALSE(anthropic_facts("claude-of-tomorrow").adaptive_thinking);
  CHECK_FALSE(anthropic_facts("claude-of-tomorrow").prices);
  CHECK(anthropic_facts("claude-of-tomorrow").context_window == 200'000);
  CHECK(anthropic_facts("claude-of-tomorrow").maximum_output == 32'000);
  CHECK(openai_chat_facts("gpt-5-2025-08-07").maximum_output == 128'000);
  CHECK(openai_chat_facts("gpt-of-tomorrow").context_window == 128'000);
  CHECK(openai_chat_facts("gpt-of-tomorrow").default_output == 0);
}

TEST_CASE("the system prompt is there and holds nothing that changes") {
  CHECK(system_prompt().size() > 1'000);
  CHECK(system_prompt().find("${") == std::string_view::npos);
  CHECK(system_prompt().find("20") == std::string_view::npos);
}

TEST_CASE("the demo's job, in English") {
  Demo demo("Read README.md and put the title \"My Tool\" on top of it.");
  const auto first = call_of(demo.next());
  CHECK(first.first == "Read");
  CHECK(first.second == Json{{"file_path", "README.md"}});
  const auto second = call_of(demo.next(numbered({"Some text.", "", "More."})));
  CHECK(second.first == "Edit");
  CHECK(second.second == Json{{"file_path", "README.md"},
                              {"old_string", "Some text."},
                              {"new_string", "# My Tool\n\nSome text."}});
  const AssembledReply last = demo.next("The file was changed.");
  CHECK(call_of(last).first.empty());
  CHECK(says(last, "# My Tool"));
  CHECK(last.stop->reason == StopReason::end_turn);
}

TEST_CASE("the demo's job, in Chinese, without a title told") {
  Demo demo("\u8BFB README.md\uFF0C\u7ED9\u5B83\u52A0\u4E00\u4E2A\u6807\u9898");
  CHECK(call_of(demo.next()).second == Json{{"file_path", "README.md"}});
  const auto second = call_of(demo.next(numbered({"x", "x"})));
  CHECK(second.second["old_string"] == "x\nx");
  CHECK(second.second["new_string"] == "# tool\n\nx\nx");
}

TEST_CASE("the demo's job in traditional Chinese, and for the readme without its ending") {
  CHECK(call_of(Demo("給 README.md 加一個標題").next()).second == Json{{"file_path", "README.md"}});
  CHECK(call_of(Demo("Put a title on the readme").next()).second ==
        Json{{"file_path", "README.md"}});
}

TEST_CASE("the demo where things are not as usual") {
  const std::string prompt = "Put a title on README.md";
  SUBCASE("no such file") {
    Demo demo(prompt);
    (void)demo.next();
    const AssembledReply reply = demo.next("README.md does not exist.", true);
    CHECK(call_of(reply).first.empty());
    CHECK(says(reply, "README.md does not exist."));
  }
  SUBCASE("an empty file") {
    Demo demo(prompt);
    (void)demo.next();
    const auto call = call_of(demo.next("(the file exists but is empty)"));
    CHECK(call.first == "Write");
    CHECK(call.second == Json{{"file_path", "README.md"}, {"content", "# tool\n"}});
  }
  SUBCASE("a title is there, and none is asked for by name") {
    Demo demo(prompt);
    (void)demo.next();
    const AssembledReply reply = demo.next(numbered({"# Old", "", "Text"}));
    CHECK(call_of(reply).first.empty());
    CHECK(says(reply, "# Old"));
  }
  SUBCASE("another title is there") {
    Demo demo("Title of README.md: \"New\"");
    (void)demo.next();
    const auto call = call_of(demo.next(numbered({"# Old", "", "Text"})));
    CHECK(call.second["old_string"] == "# Old");
    CHECK(call.second["new_string"] == "# New");
  }
  SUBCASE("that very title is there") {
    Demo demo("Title of README.md: \"Old\"");
    (void)demo.next();
    CHECK(call_of(demo.next(numbered({"# Old", "", "Text"}))).first.empty());
  }
  SUBCASE("the change is denied") {
    Demo demo(prompt);
    (void)demo.next();
    (void)demo.next(numbered({"Text"}));
    const AssembledReply reply = demo.next("Denied by the user", true);
    CHECK(says(reply, "did not change"));
    CHECK(says(reply, "Denied by the user"));
  }
}

TEST_CASE("any other prompt is answered with what the demo can do") {
  const AssembledReply reply = Demo("Write me a compiler").next();
  CHECK(call_of(reply).first.empty());
  CHECK(says(reply, "demo"));
  CHECK(says(reply, "ANTHROPIC_API_KEY"));
}

TEST_CASE("what an endpoint said of its output limit holds for every later run in the process") {
  Rig rig("sk-ant-1");
  const std::string name = "anthropic/claude-opus-4-5";
  const auto first = rig.models.resolve(name);
  REQUIRE(first);
  CHECK(first->facts.maximum_output == 64'000);
  first->output_limits->learn(name, 8'192);
  first->output_limits->learn(name, 16'384);  // the lowest counts
  const auto later = rig.models.resolve(name);
  CHECK(later->facts.maximum_output == 8'192);
  CHECK(later->facts.default_output == 8'192);
  CHECK(rig.models.resolve("anthropic/claude-sonnet-4-5")->facts.maximum_output == 64'000);
  // Where the endpoint is left to it nothing is asked for, but what was learnt bounds a raise.
  ModelFacts open;
  open.default_output = 0;
  open.maximum_output = 0;
  CHECK(first->output_limits->applied(name, open).default_output == 0);
  CHECK(first->output_limits->applied(name, open).maximum_output == 8'192);
}
