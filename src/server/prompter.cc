#include "server/prompter.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "platform/stdio.h"
#include "server/person_answer.h"
#include "server/question_answer.h"

namespace agentd::server {
namespace {

bool has_event(int fd, short wanted) {
  pollfd watched{fd, wanted, 0};
  return poll(&watched, 1, 0) > 0 && (watched.revents & (wanted | POLLHUP)) != 0;
}

// What was typed before a question was shown answers nothing, an end of input neither. The loop is
// for a terminal that keeps lines in spite of the flush.
void forget_typed_ahead(int terminal) {
  tcflush(terminal, TCIFLUSH);
  std::array<char, 1024> buffer{};
  while (has_event(terminal, POLLIN) && !has_event(terminal, 0)) {
    if (read(terminal, buffer.data(), buffer.size()) <= 0) return;
  }
}

}  // namespace

Prompter::Prompter(int input, platform::Wake& wake, TerminalView& view)
    : input_(input),
      wake_(wake),
      view_(view),
      has_person_(isatty(input) == 1 && isatty(STDERR_FILENO) == 1) {}

bool Prompter::hung_up() const {
  return has_person_ && has_event(input_, 0);
}

const std::string& Prompter::call_of(const OpenQuestion& question) {
  return std::visit([](const auto& asked) -> const std::string& { return asked.tool_use_id; },
                    question);
}

void Prompter::take(const agent::Event& event) {
  if (const auto* approval = std::get_if<agent::ApprovalRequested>(&event)) asked(*approval);
  if (const auto* question = std::get_if<agent::QuestionAsked>(&event)) asked(*question);
  if (const auto* done = std::get_if<agent::ApprovalResolved>(&event)) resolved(done->tool_use_id);
  if (const auto* done = std::get_if<agent::QuestionResolved>(&event)) resolved(done->tool_use_id);
}

void Prompter::asked(OpenQuestion question) {
  if (!has_person_ || input_ended_) return;
  questions_.push_back(std::move(question));
  if (questions_.size() == 1) ask_next();
}

void Prompter::resolved(const std::string& tool_use_id) {
  const bool was_asked = !questions_.empty() && call_of(questions_.front()) == tool_use_id;
  std::erase_if(questions_, [&](const auto& q) { return call_of(q) == tool_use_id; });
  if (was_asked) ask_next();
}

void Prompter::ask_next() {
  view_.question_over();
  typed_.clear();
  answers_.clear();
  answered_ = false;
  if (!questions_.empty()) ask_first();
}

void Prompter::ask_first() {
  forget_typed_ahead(input_);
  if (const auto* approval = std::get_if<agent::ApprovalRequested>(&questions_.front())) {
    return view_.ask(*approval);
  }
  const auto& all = std::get<agent::QuestionAsked>(questions_.front()).questions;
  view_.ask(all[answers_.size()], answers_.size() + 1, all.size());
}

bool Prompter::read(agent::Run& run) {
  std::array<char, 1024> buffer{};
  const auto step = platform::read_or_wake(input_, wake_, buffer);
  switch (step.kind) {
    case platform::ReadStep::Kind::woken:
      return true;
    case platform::ReadStep::Kind::data:
      typed_.append(buffer.data(), step.bytes);
      break;
    case platform::ReadStep::Kind::end:
    case platform::ReadStep::Kind::failed:
      input_ended_ = true;
      if (hung_up()) return false;
      run.withdraw_approvals();
      return true;
  }
  const std::size_t end = typed_.find('\n');
  if (end == std::string::npos) return true;
  const std::string line = std::exchange(typed_, {}).substr(0, end);
  std::visit([&](const auto& question) { answer(question, line, run); }, questions_.front());
  return true;
}

// The next question comes with approvalResolved; one that was withdrawn meanwhile, too.
void Prompter::answer(const agent::ApprovalRequested& question, std::string_view line,
                      agent::Run& run) {
  auto approval = parse_person_answer(line);
  if (!approval) return not_understood(approval_help(question.may_be_granted));
  answered_ = true;
  view_.answered();
  approval->tool_use_id = question.tool_use_id;
  run.approve(std::move(*approval), [](const Result<void>&) {});
}

void Prompter::answer(const agent::QuestionAsked& question, std::string_view line,
                      agent::Run& run) {
  auto typed = parse_question_answer(line, question.questions[answers_.size()]);
  if (!typed) return not_understood(explanation(typed.error()));
  view_.answered();
  if (!typed->rejected) {
    answers_.push_back(std::move(typed->answer));
    if (answers_.size() < question.questions.size()) return ask_first();
  }
  answered_ = true;
  agent::AnswersGiven given{question.tool_use_id, {}, typed->rejected, std::move(typed->message)};
  if (!given.rejected) given.answers = std::exchange(answers_, {});
  run.answer_question(std::move(given), [](const Result<void>&) {});
}

void Prompter::not_understood(std::string_view why) {
  forget_typed_ahead(input_);
  view_.ask_again(why);
}

}  // namespace agentd::server
