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
        "* Bash make ...\nhalf a line\n  Bash make ... denied: nobody can be asked ...\n"
        "agentd: no network\n");
}

TEST_CASE("activity between two blocks changes nothing in a file, and ends a line on a terminal") {
  for (const bool terminal : {false, true}) {
    Screen screen(terminal);
    screen.view.show(agent::TextDelta{"b1", "Let me see"});
    screen.view.say("* Read");
    screen.view.show(agent::TextDelta{"b1", "."});
    screen.view.show(agent::TurnEnded{});
    screen.view.say("  Read completed");
    screen.view.show(agent::TextDelta{"b2", "Seen."});
    screen.view.show(agent::RunEnded{});
    CHECK(screen.answer == (terminal ? "Let me see\n.\n\nSeen.\n" : "Let me see.\n\nSeen.\n"));
  }
}

TEST_CASE("a file holds nothing of a reply that was discarded; a terminal says that it was") {
  for (const bool terminal : {false, true}) {
    Screen screen(terminal);
    screen.view.show(agent::TurnStarted{});
    screen.view.show(agent::TextDelta{"b1", "Wrong and cut"});
    screen.view.show(agent::ReplyDiscarded{});
    screen.view.show(agent::TextDelta{"b2", "Good answer"});
    screen.view.show(agent::TurnEnded{});
    screen.view.show(agent::RunEnded{});
    CHECK(screen.answer ==
          (terminal ? "Wrong and cut\n[reply discarded]\n\nGood answer\n" : "Good answer\n"));
  }
}

TEST_CASE("text goes to a file once a call of its turn runs") {
  Screen screen;
  screen.view.show(agent::TurnStarted{});
  screen.view.show(agent::TextDelta{"b1", "I will."});
  screen.view.show(call(agent::ToolUseState::started, {}));
  CHECK(screen.answer.empty());
  screen.view.show(call(agent::ToolUseState::running, {}));
  CHECK(screen.answer == "I will.");
}

TEST_CASE("what the model says cannot drive a terminal, but stays as it is in a file") {
  Screen file;
  file.view.show(agent::TextDelta{"b1", "\x1b[2J"});
  file.view.show(agent::TurnEnded{});
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

TEST_CASE("a question is repeated below what else is said, and the answer's text waits for it") {
  Screen screen(true);
  agent::ApprovalRequested question;
  question.name = "Write";
  question.input = std::make_shared<const Json>(Json{{"file_path", "a.txt"}});
  screen.view.ask(question);
  const std::string prompt =
      "Allow it? y: yes, n: no, s: yes, and also later for this same file > ";
  CHECK(screen.activity.ends_with("\n" + prompt));
  screen.activity.clear();
  agent::ToolProgress progress;
  progress.text = "one\ntw";
  screen.view.show(progress);
  screen.view.show(agent::TextDelta{"b1", "Meanwhile."});
  CHECK(screen.activity == "\none\n" + prompt);
  CHECK(screen.answer.empty());
  screen.activity.clear();
  screen.view.answered();
  CHECK(screen.activity == "tw\n");
  CHECK(screen.answer == "Meanwhile.");
}

TEST_CASE("a question that is withdrawn leaves a line of its own") {
  Screen screen(true);
  screen.view.ask({});
  screen.activity.clear();
  screen.view.question_over();
  screen.view.say("  Write cancelled");
  CHECK(screen.activity == "\n  Write cancelled\n");
}

TEST_CASE(
    "result lines say which file, and the end how to allow what nobody could be asked about") {
  struct Case {
    const char* tool;
    bool edits_allowed;
    const char* advice;
  };
  for (const Case& c : {Case{"Write", false, "acceptEdits allows edits"},
                        Case{"Write", true, "bypass allows everything"},
                        Case{"Bash", false, "bypass allows everything"}}) {
    Screen screen;
    if (c.edits_allowed) screen.view.edits_are_allowed();
    agent::ToolUse use = call(agent::ToolUseState::ready, {{"file_path", "a.txt"}});
    use.name = c.tool;
    screen.view.show(use);
    agent::ApprovalResolved resolved;
    resolved.by = agent::ApprovalBy::no_approver;
    screen.view.show(resolved);
    agent::ToolResult result;
    result.name = c.tool;
    result.status = agent::ToolStatus::denied;
    screen.view.show(result);
    screen.view.show(agent::RunEnded{});
    const std::string name = std::string(c.tool) + " a.txt";
    CHECK(screen.activity == "* " + name + "\n  " + name +
                                 " denied\n1 call was denied because nobody could be asked; "
                                 "--permission-mode " +
                                 c.advice + "\n");
  }
}

TEST_CASE("an ending without a message is told in words") {
  Screen screen;
  agent::RunEnded end;
  end.ending = agent::Ending::aborted_tools;
  screen.view.show(end);
  CHECK(screen.activity == "agentd: Cancelled.\n");
}
