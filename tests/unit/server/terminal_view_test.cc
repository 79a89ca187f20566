// What a person in a shell sees of a run.
#include "server/terminal_view.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::server;

namespace {

struct Screen {
  explicit Screen(bool terminal = false)
      : view({.answer =
                  [this](std::string_view text) {
                    answer += text;
                    return true;
                  },
              .activity =
                  [this](std::string_view text) {
                    activity += text;
                    return true;
                  },
              .answer_is_terminal = terminal,
              .activity_is_terminal = terminal}) {}

  std::string answer;
  std::string activity;
  TerminalView view;
};

agent::ToolUse call(agent::ToolUseState state, Json input) {
  agent::ToolUse use;
  use.name = "Bash";
  use.state = state;
  use.input = std::make_shared<const Json>(std::move(input));
  return use;
}

}  // namespace

TEST_CASE("the answer goes to standard output and ends with a line end") {
  Screen screen;
  screen.view.show(agent::TextDelta{"b1", "Hel"});
  screen.view.show(agent::TextDelta{"b1", "lo"});
  screen.view.show(agent::TextDelta{"b2", "again"});
  screen.view.show(agent::RunEnded{});
  CHECK(screen.answer == "Hello\n\nagain\n");
  CHECK(screen.activity.empty());
}

TEST_CASE("tool activity goes to standard error") {
  Screen screen;
  screen.view.show(call(agent::ToolUseState::started, {}));
  screen.view.show(call(agent::ToolUseState::ready, {{"command", "make\ntest"}}));
  agent::ToolProgress progress;
  progress.text = "half a line";
  screen.view.show(progress);
  agent::ToolResult result;
  result.name = "Bash";
  result.status = agent::ToolStatus::denied;
  result.content = {TextBlock{"nobody can be asked\nmore"}};
  screen.view.show(result);
  agent::RunEnded end;
  end.ending = agent::Ending::model_error;
  end.message = "no network";
  screen.view.show(end);
  CHECK(screen.answer.empty());
  CHECK(screen.activity ==
        "* Bash make ...\nhalf a line\n  Bash denied: nobody can be asked ...\n"
        "agentd: model_error: no network\n");
}

TEST_CASE("an answer in a file is not touched by activity; one on a terminal ends its line") {
  for (const bool terminal : {false, true}) {
    Screen screen(terminal);
    screen.view.show(agent::TextDelta{"b1", "Let me see"});
    screen.view.say("* Read");
    screen.view.show(agent::TextDelta{"b1", "."});
    CHECK(screen.answer == (terminal ? "Let me see\n." : "Let me see."));
  }
}

TEST_CASE("what the model says cannot drive a terminal, but stays as it is in a file") {
  Screen file;
  file.view.show(agent::TextDelta{"b1", "\x1b[2J"});
  CHECK(file.answer == "\x1b[2J");
  Screen screen(true);
  screen.view.show(agent::TextDelta{"b1", "\x1b[2J"});
  CHECK(screen.answer == "\\x1b[2J");
}

TEST_CASE("a question shows all that is asked for") {
  Screen screen(true);
  agent::ApprovalRequested question;
  question.name = "Bash";
  question.reason = "it may change anything";
  question.input = std::make_shared<const Json>(Json{{"command", "echo 1\nrm \x1b[2K-rf ."}});
  screen.view.ask(question);
  CHECK(screen.activity.find("? Bash: it may change anything\n") != std::string::npos);
  CHECK(screen.activity.find("  echo 1\n  rm \\x1b[2K-rf .\n") != std::string::npos);
  CHECK(screen.activity.ends_with("> "));

  Screen edit;
  question.name = "Edit";
  question.preview = "--- a\n+++ b\n" + std::string(10'000, '+');
  edit.view.ask(question);
  CHECK(edit.activity.find("  --- a\n  +++ b\n") != std::string::npos);
  CHECK(edit.activity.find("more bytes ...]") != std::string::npos);
  CHECK(edit.activity.find("echo 1") == std::string::npos);
}
