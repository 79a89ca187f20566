// The script language: what it plays, and what it says about mistakes.
#include "model/script.h"

#include <doctest/doctest.h>

#include "model/script_player.h"
#include "model/scripted.h"
#include "support/assembled_reply.h"
#include "support/fake_clock.h"
#include "support/model_talk.h"

using namespace agentd;
using namespace agentd::model;
using agentd::test::AssembledReply;
using std::chrono::milliseconds;

namespace {

MessagePtr message(Role role, std::vector<Block> blocks) {
  return std::make_shared<const Message>(Message{role, std::move(blocks)});
}

ModelRequest request_of(std::vector<MessagePtr> messages) {
  ModelRequest request;
  request.model = "script";
  request.messages = std::move(messages);
  return request;
}

// A prompt, then one answered call per result.
ModelRequest after(const std::string& prompt, const std::vector<ToolResultBlock>& results) {
  std::vector<MessagePtr> messages{message(
      Role::user, {TextBlock{"<environment>\nWorking directory: /home/me/my tool\n</environment>"},
                   TextBlock{prompt}})};
  for (const ToolResultBlock& result : results) {
    messages.push_back(message(Role::assistant, {ToolUseBlock{"x", "Read", Json::object()}}));
    messages.push_back(message(Role::user, {result}));
  }
  return request_of(std::move(messages));
}

ToolResultBlock ok(const std::string& text) {
  return {"x", {TextBlock{text}}, false};
}
ToolResultBlock failed(const std::string& text) {
  return {"x", {TextBlock{text}}, true};
}

AssembledReply played(const Script& script, const ModelRequest& request) {
  AssembledReply reply;
  for (const ScriptStep& step : steps_for(script, request)) reply.take(step.events);
  CHECK(reply.broken.empty());
  return reply;
}

Script parsed(std::string_view text) {
  auto script = parse_script(text);
  if (!script) FAIL(script.error().message);
  return std::move(*script);
}

std::string text_of(const AssembledReply& reply) {
  std::string text;
  for (const auto& block : reply.blocks) {
    if (block.kind == BlockKind::text) text += block.text;
  }
  return text;
}

}  // namespace

TEST_CASE("a reply of every part") {
  const Script script = parsed(R"(# a comment
reply
  thinking Let me see.
  text Hello you
  text
  text there.
  call Read {"file_path": "${word a.txt}", "more": ["${prompt}", 5]}
  call Bash
  usage 12 34
)");
  const AssembledReply reply = played(script, after("see ./x/a.txt", {}));
  REQUIRE(reply.blocks.size() == 4);
  CHECK(reply.blocks[0].kind == BlockKind::thinking);
  CHECK(reply.blocks[0].text == "Let me see.");
  CHECK(reply.blocks[1].text == "Hello you\n\nthere.");
  CHECK(Json::parse(reply.blocks[2].text) ==
        Json{{"file_path", "./x/a.txt"}, {"more", {"see ./x/a.txt", 5}}});
  CHECK(reply.blocks[3].text == "{}");
  CHECK(reply.blocks[2].tool_use_id == "call_1");
  CHECK(reply.blocks[3].tool_use_id == "call_2");
  for (const auto& block : reply.blocks) CHECK(block.ended);
  CHECK(reply.stop->reason == StopReason::tool_use);
  CHECK(reply.usage.output_tokens == 34);
}

TEST_CASE("the first reply whose conditions all hold is played") {
  const Script script = parsed(R"(
reply
  when retry
  text retried
reply
  when prompt has title | heading
  when results 0
  text zero
reply
  when prompt has TITLE
  when prompt lacks never | not
  when result failed
  text failed
reply
  when result ok
  when first line starts "# "
  text titled
reply
  when result has lines
  text lines
reply
  when result has no lines
  text no lines
reply
  when prompt quotes
  text quotes
reply
  when prompt quotes nothing
  text nothing
)");
  const auto says = [&](const ModelRequest& request) { return text_of(played(script, request)); };
  CHECK(says(after("a Title", {})) == "zero");
  CHECK(says(after("a title", {ok("x"), failed("y")})) == "failed");
  CHECK(says(after("a title, not", {failed("y")})) == "no lines");
  CHECK(says(after("x", {ok("     1\t# T\n")})) == "titled");
  CHECK(says(after("x", {ok("     1\tT\n")})) == "lines");
  CHECK(says(after("x", {ok("(empty)")})) == "no lines");
  CHECK(says(after("say \"it\"", {})) == "quotes");
  CHECK(says(after("say it", {})) == "nothing");
  ModelRequest retry = after("a title", {});
  retry.fresh_connection = true;
  CHECK(says(retry) == "retried");
}

TEST_CASE("what the request holds, and how long its reply may be") {
  const Script script = parsed(R"(
reply
  when images
  text images
reply
  when thinking
  when no images
  text thinking
reply
  when no thinking
  when output limit 100
  text limited
reply
  text else
)");
  const auto says = [&](const ModelRequest& request) { return text_of(played(script, request)); };
  ModelRequest request = after("x", {});
  request.max_output_tokens = 101;
  CHECK(says(request) == "else");
  request.max_output_tokens = 100;
  CHECK(says(request) == "limited");
  request.messages.push_back(message(Role::assistant, {ThinkingBlock{"hm", std::nullopt}}));
  CHECK(says(request) == "thinking");
  ToolResultBlock shot = ok("x");
  shot.content.emplace_back(ImageBlock{"image/png", "QQ"});
  CHECK(says(after("x", {shot})) == "images");
}

TEST_CASE("new words of the user begin anew") {
  const Script script = parsed("reply\n when results 0\n text ${prompt}\n");
  ModelRequest request = after("first", {ok("x")});
  request.messages.push_back(message(Role::assistant, {TextBlock{"done"}}));
  request.messages.push_back(message(Role::user, {TextBlock{"second"}}));
  CHECK(text_of(played(script, request)) == "second");
}

TEST_CASE("no reply that fits is a failure that says what came") {
  const AssembledReply reply =
      played(parsed("reply\n when results 7\n text x\n"), after("hello", {ok("x")}));
  REQUIRE(reply.failure);
  CHECK(reply.failure->failure_class == FailureClass::invalid_request);
  CHECK(reply.failure->message.find("\"hello\", with 1 tool results") != std::string::npos);
}

TEST_CASE("failures to simulate") {
  const AssembledReply limited =
      played(parsed("reply\n fail 429 slow down\n retry-after 2\n"), after("x", {}));
  REQUIRE(limited.failure);
  CHECK(limited.failure->failure_class == FailureClass::rate_limit);
  CHECK(limited.failure->retry_after == milliseconds(2'000));
  CHECK(played(parsed("reply\n fail 529\n"), after("x", {})).failure->failure_class ==
        FailureClass::overloaded);
  CHECK(
      played(parsed("reply\n fail 400 image too large\n"), after("x", {})).failure->failure_class ==
      FailureClass::image_refused);
  const AssembledReply cut = played(parsed("reply\n text a b\n cut\n"), after("x", {}));
  REQUIRE(cut.failure);
  CHECK(cut.failure->failure_class == FailureClass::stream_truncated);
  CHECK_FALSE(cut.blocks.at(0).ended);
  CHECK(played(parsed("reply\n text a\n stop max_tokens\n"), after("x", {})).stop->reason ==
        StopReason::max_tokens);
}

TEST_CASE("mistakes are named with their line") {
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "line 1: the script holds no reply"},
      {"# nothing\n", "line 1: the script holds no reply"},
      {"text hi\n", "line 1: a script begins with"},
      {"reply\nsay hi\n", "line 2: unknown word \"say\""},
      {"reply now\n", "line 1: nothing may stand behind"},
      {"reply\n\n when moon is full\n", "line 3: unknown condition \"moon is full\""},
      {"reply\n when results many\n", "line 2: `when results` needs a number"},
      {"reply\n when prompt has  | \n", "line 2: say what"},
      {"reply\n when first line starts # \n", "line 2: write the text in double quotes"},
      {"reply\n call\n", "line 2: `call` needs"},
      {"reply\n call Read {\"a\": }\n", "line 2: the input of Read is not valid JSON"},
      {"reply\n call Read [1]\n", "line 2: the input of Read is not a JSON object"},
      {"reply\n call Read {\"a\": \"${nope}\"}\n", "line 2: unknown placeholder ${nope}"},
      {"reply\n text ${prompt\n", "line 2: a `${` without its `}`"},
      {"reply\n delay soon\n", "line 2: `delay` needs"},
      {"reply\n usage 5\n", "line 2: `usage` needs"},
      {"reply\n fail 200\n", "line 2: `fail` needs"},
      {"reply\n retry-after 5\n", "line 2: `retry-after` belongs"},
      {"reply\n stop\n", "line 2: `stop` needs"},
  };
  for (const auto& [text, says] : mistakes) {
    CAPTURE(text);
    const auto script = parse_script(text);
    REQUIRE_FALSE(script.has_value());
    CHECK(script.error().code == Code::invalid_input);
    CAPTURE(script.error().message);
    CHECK(script.error().message.starts_with(says));
  }
}

TEST_CASE("placeholders") {
  const auto text = [](const std::string& prompt, const std::string& result,
                       const std::string& pattern) {
    return expanded(pattern, situation_of(after(prompt, {ok("first"), ok(result)})));
  };
  CHECK(text("p", "r", "${prompt}|${result}|${result 1}|${result 3}|") == "p|r|first||");
  CHECK(text("p", "r", "${directory} ${title}") == "my tool my tool");
  CHECK(text("call it \u201C# New\u201D", "r", "${title}") == "New");
  const std::string shown = "     1\t\n     2\ta\n     3\ta\n     4\tb\n\n(lines 1 to 4)";
  CHECK(text("p", shown, "[${first line}]") == "[]");
  CHECK(text("p", shown, "[${head}]") == "[\na\na]");
  CHECK(text("p", "     1\tx\n     2\ty\n     3\tx\n", "[${head}]") == "[x\ny]");
  CHECK(text("p", "     1\tone\n     2\ttwo\n", "[${head}] [${head rest}]") == "[one] []");
  CHECK(text("p", "r", "$5 {x} $${prompt}") == "$5 {x} $p");
}

TEST_CASE("quotes of all kinds, but not file names") {
  CHECK(quoted_in("put \"My Tool\" on README.md") == "My Tool");
  CHECK(quoted_in("in `README.md` write `# Title`") == "Title");
  CHECK(quoted_in("把标题「我的工具」写到 README.md") == "我的工具");
  CHECK(quoted_in("标题用《说明》") == "说明");
  CHECK_FALSE(quoted_in("read \"README.md\""));
  CHECK_FALSE(quoted_in("an open \" quote"));
  CHECK_FALSE(quoted_in(""));
}

TEST_CASE("it is played step by step on the clock, never on the caller's stack") {
  test::FakeClock clock;
  const auto provider = make_scripted(parsed("reply\n delay 10\n text a b c\n"), clock);
  const auto cache = provider->make_cache();
  test::ModelTalk talk(*provider, *cache, test::simple_request("x"));
  const auto text = [&] {
    std::string so_far;
    (void)talk.wait_for([&](const AssembledReply& reply) {
      so_far = text_of(reply);
      return true;
    });
    return so_far;
  };
  CHECK(text() == "");
  clock.advance(milliseconds(10));
  CHECK(text() == "a ");
  talk.stream().pause();
  clock.advance(milliseconds(1'000));
  CHECK(text() == "a ");
  talk.stream().resume();
  clock.advance(milliseconds(10));
  CHECK(text() == "a b ");
  SUBCASE("to its end") {
    clock.advance(milliseconds(100));
    CHECK(talk.ended());
    CHECK(clock.pending() == 0);
  }
  SUBCASE("or until it is dropped") {
    talk.cancel();
    clock.advance(milliseconds(100));
    CHECK_FALSE(talk.ended());
    CHECK(text() == "a b ");
  }
}
