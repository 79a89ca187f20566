// Prompter: puts a run's questions (may a call run, what the model wants to know) to the person at
// the terminal, one after the other, and gives the run their answers. The main thread's of
// `agentd run`.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/event.h"
#include "agent/run.h"
#include "platform/wake.h"
#include "server/terminal_view.h"

namespace agentd::server {

class Prompter {
 public:
  /// `input` is the descriptor the person types at. All of them outlive this.
  Prompter(int input, platform::Wake& wake, TerminalView& view);

  /// There is a person to ask: they can type, and see what they answer.
  bool has_person() const { return has_person_; }
  /// The person's terminal is gone.
  bool hung_up() const;

  /// What the run tells: questions, and that they are settled. Other events mean nothing here.
  void take(const agent::Event& event);

  /// A question is open and the person has not answered it yet.
  bool waiting() const { return !questions_.empty() && !answered_ && !input_ended_; }
  /// Waits for what they type, or for `wake`. False if their terminal hung up; where the input ends
  /// otherwise, the run is told that nobody answers any more.
  bool read(agent::Run& run);

 private:
  using OpenQuestion = std::variant<agent::ApprovalRequested, agent::QuestionAsked>;
  static const std::string& call_of(const OpenQuestion& question);

  void asked(OpenQuestion question);
  void resolved(const std::string& tool_use_id);
  void ask_next();
  void ask_first();
  void answer(const agent::ApprovalRequested& question, std::string_view line, agent::Run& run);
  void answer(const agent::QuestionAsked& question, std::string_view line, agent::Run& run);
  void not_understood(std::string_view why);

  const int input_;
  platform::Wake& wake_;
  TerminalView& view_;
  const bool has_person_;
  std::deque<OpenQuestion> questions_;   // the first is being asked
  std::vector<QuestionAnswer> answers_;  // to the first ones of a call's questions
  std::string typed_;                    // of the answer, so far
  bool answered_ = false;                // the first question is, and not resolved yet
  bool input_ended_ = false;
};

}  // namespace agentd::server
