#include "server/run_command.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <utility>
#include <variant>

#include "base/ascii.h"
#include "platform/stdio.h"
#include "rpc/outbox.h"
#include "server/engine.h"
#include "server/events.h"
#include "server/exit_code.h"
#include "server/inbox.h"
#include "server/person_answer.h"
#include "server/piped_input.h"
#include "server/question_answer.h"
#include "server/session_end.h"
#include "server/terminal_view.h"

namespace agentd::server {
namespace {

using namespace std::chrono_literals;

// A pipe that nobody writes to is waited for this long when there is a prompt without it.
constexpr auto kPatience = 3s;

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// What has room at the reader's until `deadline`; false if that was not all of it.
bool write_by(int fd, std::string_view text, std::chrono::steady_clock::time_point deadline) {
  while (!text.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd reader{fd, POLLOUT, 0};
    const int ready = poll(&reader, 1, static_cast<int>(std::max(left, 0ms).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t written = write(fd, text.data(), std::min(text.size(), platform::kWriteAtOnce));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A person can answer only what they can see.
bool can_ask(int input) {
  return isatty(input) == 1 && isatty(STDERR_FILENO) == 1;
}

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

// Prompt and piped input as blocks; nothing, after saying why, if there is neither.
std::optional<std::vector<Block>> read_prompt(const RunCommandOptions& options) {
  const bool no_prompt = ascii::trimmed(options.prompt).empty();
  const auto patience =
      no_prompt ? std::nullopt : std::optional<std::chrono::milliseconds>(kPatience);
  const auto piped = read_piped_input(options.input, patience);
  if (!piped) {
    write_fully(STDERR_FILENO,
                "agentd: " + piped.error().where + ": " + piped.error().message + "\n");
    return std::nullopt;
  }
  std::vector<Block> blocks;
  if (!no_prompt) blocks.emplace_back(TextBlock{options.prompt});
  if (*piped && !ascii::trimmed(**piped).empty()) {
    blocks.emplace_back(TextBlock{**piped});
  }
  if (blocks.empty()) {
    write_fully(STDERR_FILENO,
                "agentd: nothing to do: give a prompt, or pipe one in (agentd run --help)\n");
    return std::nullopt;
  }
  return blocks;
}

// `Read, Grep` -> Read and Grep.
std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view name = ascii::trimmed(list.substr(0, end));
    if (!name.empty()) names.emplace_back(name);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

// What a person is asked: may a call run, or what the model wants to know.
using OpenQuestion = std::variant<agent::ApprovalRequested, agent::QuestionAsked>;

const std::string& call_of(const OpenQuestion& question) {
  return std::visit([](const auto& asked) -> const std::string& { return asked.tool_use_id; },
                    question);
}

class RunCommand final : public agent::Sink {
 public:
  explicit RunCommand(const RunCommandOptions& options)
      : options_(options), asks_(can_ask(options.input)), view_(make_place()) {}

  int execute(std::vector<Block> prompt) {
    engine_.io().on_signal({SIGINT, SIGTERM, SIGHUP}, [this](int number) { signalled(number); });
    if (auto failure = start(std::move(prompt))) {
      view_.say("agentd: " + failure->message);
      const bool wrong_flag =
          failure->code == Code::invalid_input || failure->code == Code::not_found;
      return wrong_flag ? exit_code::kUsage : exit_code::kError;
    }
    while (!over_) step();
    run_.reset();
    end_session();
    const bool all_told = !outbox_ || outbox_->drain(5s);
    if (const int code = signal_exit_; code != 0) exit_ = exit_.value_or(code);
    if (!all_told) exit_ = exit_.value_or(exit_code::kError);
    return exit_.value_or(exit_code::of(agent::outcome_of(ending_)));
  }

  void emit(agent::Event event) override;

 private:
  TerminalView::Place make_place();
  std::optional<Error> start(std::vector<Block> prompt);
  void end_session();
  void tell_session_hook(const std::string& session_id, const hooks::HookRecord& record);
  void take(const agent::Event& event);
  void step();
  void read_answer();
  void answer(std::string_view line);
  void answer(const agent::ApprovalRequested& question, std::string_view line);
  void answer(const agent::QuestionAsked& question, std::string_view line);
  void asked(OpenQuestion question);
  void resolved(const std::string& tool_use_id);
  void ask_next();
  void ask_first();
  void not_understood();
  void output_lost();
  void signalled(int number);
  void stop(int code);
  bool write_answer(std::string_view text);
  bool write_activity(std::string_view text);
  platform::WriteStep::Kind write_to(int fd, std::string_view text);

  const RunCommandOptions options_;
  const bool asks_;  // there is a person to ask
  Inbox inbox_;
  Engine engine_;
  TerminalView view_;
  std::unique_ptr<rpc::Outbox> outbox_;  // --json
  std::unique_ptr<EventWriter> events_;  // --json: the run's thread only
  std::shared_ptr<FlowGate> gate_ = std::make_shared<FlowGate>();
  std::unique_ptr<agent::Run> run_;

  std::deque<OpenQuestion> questions_;   // the first is being asked
  std::vector<QuestionAnswer> answers_;  // to the first ones of a call's questions
  std::string typed_;                    // of the answer, so far
  bool answered_ = false;                // the first question is, and not resolved yet
  bool input_ended_ = false;
  bool output_gone_ = false;
  bool over_ = false;            // the run has ended
  agent::HookContext hooks_;     // of the session
  std::atomic<int> signals_{0};  // counted on the io thread
  bool session_ended_ = false;
  std::unique_ptr<SessionEnd> session_end_;
  agent::Ending ending_ = agent::Ending::internal_error;
  std::optional<int> exit_;              // decided by something else than the ending
  std::atomic<std::size_t> waiting_{0};  // bytes handed over and not printed yet
  std::atomic<int> signal_exit_{0};      // set on the io thread: stop waiting for a reader
  std::optional<std::chrono::steady_clock::time_point> last_words_by_;  // after a signal
  bool activity_gone_ = false;
};

TerminalView::Place RunCommand::make_place() {
  TerminalView::Place place;
  place.answer = [this](std::string_view text) { return write_answer(text); };
  place.activity = [this](std::string_view text) { return write_activity(text); };
  place.answer_is_terminal = isatty(options_.output) == 1;
  place.activity_is_terminal = isatty(STDERR_FILENO) == 1;
  return place;
}

std::optional<Error> RunCommand::start(std::vector<Block> prompt) {
  std::error_code failed;
  const auto directory = options_.cwd.empty()
                             ? current_directory()
                             : std::filesystem::absolute(options_.cwd, failed).string();
  auto beginning = engine_.begin(directory);
  if (!beginning) return beginning.error();
  if (options_.mode) beginning->conversation.set_mode(*options_.mode);
  if (beginning->conversation.mode == permission::Mode::accept_edits) view_.edits_are_allowed();
  std::vector<agent::Notice> notices = to_notices(beginning->settings.notices);
  RunWishes wishes;
  wishes.model = options_.model;
  wishes.max_turns = options_.max_turns;
  wishes.max_budget_usd = options_.max_budget_usd;
  wishes.fallback_models = options_.fallback_models;
  wishes.questions = asks_;
  if (options_.tools) wishes.tools = names_in(*options_.tools);
  auto run = engine_.options(wishes, beginning->settings.settings, notices);
  if (!run) return run.error();
  run->session_id = engine_.ids().next("session");
  run->run_id = engine_.ids().next("run");
  run->prompt = std::move(prompt);
  run->approvals = asks_;
  run->hooks = std::move(beginning->hooks);
  hooks_ = {run->hooks, run->session_id, {}, {}, {}, {}};
  run->memory_places = std::move(beginning->memory_places);
  if (options_.json) {
    outbox_ = std::make_unique<rpc::Outbox>(options_.output, [this](const std::string&) {
      inbox_.post([this] { stop(exit_code::kError); });
    });
    outbox_->set_framing(rpc::Framing::lines);
    events_ = std::make_unique<EventWriter>(outbox_->open_run(run->session_id, run->run_id, gate_),
                                            std::move(notices));
  } else {
    for (const agent::Notice& notice : notices) view_.show(notice);
  }
  run_ = std::make_unique<agent::Run>(std::move(*run), std::move(beginning->conversation),
                                      engine_.services(), *this, gate_,
                                      [this](const agent::Conversation& left) {
                                        hooks_.cwd = left.cwd;
                                        hooks_.workspace = left.workspace;
                                        hooks_.mode = left.mode;
                                        inbox_.post([this] { over_ = true; });
                                      });
  return std::nullopt;
}

// The session's, too: its hooks run, and only a second signal cuts them short.
void RunCommand::end_session() {
  if (signals_ > 1) return;
  SessionEnd::Told told;
  told.hook = [this](const std::string& session_id, const hooks::HookRecord& record) {
    inbox_.post([this, session_id, record] { tell_session_hook(session_id, record); });
  };
  told.done = [this] { inbox_.post([this] { session_ended_ = true; }); };
  session_end_ = std::make_unique<SessionEnd>(std::vector{hooks_}, engine_.io().clock(),
                                              engine_.io().commands(), std::move(told));
  while (!session_ended_) {
    std::array<char, 1> nothing{};
    (void)platform::read_or_wake(-1, inbox_.wake(), nothing);
    inbox_.work();
    if (signals_ > 1) session_end_->hurry();
  }
}

void RunCommand::tell_session_hook(const std::string& session_id, const hooks::HookRecord& record) {
  if (outbox_) return outbox_->send(session_hook_message(session_id, record));
  if (record.outcome == hooks::HookOutcome::success) return;
  view_.show(agent::Notice{agent::NoticeLevel::warning, "hook_broken",
                           "A SessionEnd hook of " + record.origin + ": " + record.message});
}

// What waits to be printed: past 1 MB the model and the commands are not read, as with a client.
constexpr std::size_t kMaxWaiting = 1024 * 1024;

std::size_t weight(const agent::Event& event) {
  if (const auto* text = std::get_if<agent::TextDelta>(&event)) return text->text.size();
  if (const auto* progress = std::get_if<agent::ToolProgress>(&event)) return progress->text.size();
  return 0;
}

// The run's thread: hands over, never waits.
void RunCommand::emit(agent::Event event) {
  if (events_) {
    events_->emit(event);
  } else if (waiting_.fetch_add(weight(event)) + weight(event) > kMaxWaiting) {
    gate_->close();
  }
  inbox_.post([this, told = std::make_shared<agent::Event>(std::move(event))] { take(*told); });
}

void RunCommand::take(const agent::Event& event) {
  if (const auto* ended = std::get_if<agent::RunEnded>(&event)) ending_ = ended->ending;
  if (!options_.json) {
    view_.show(event);
    const std::size_t waiting = waiting_.fetch_sub(weight(event)) - weight(event);
    if (waiting <= kMaxWaiting / 2 && gate_->closed()) gate_->open();
  }
  if (const auto* approval = std::get_if<agent::ApprovalRequested>(&event)) asked(*approval);
  if (const auto* question = std::get_if<agent::QuestionAsked>(&event)) asked(*question);
  if (const auto* done = std::get_if<agent::ApprovalResolved>(&event)) resolved(done->tool_use_id);
  if (const auto* done = std::get_if<agent::QuestionResolved>(&event)) resolved(done->tool_use_id);
}

void RunCommand::asked(OpenQuestion question) {
  if (!asks_ || input_ended_) return;
  questions_.push_back(std::move(question));
  if (questions_.size() == 1) ask_next();
}

void RunCommand::resolved(const std::string& tool_use_id) {
  const bool was_asked = !questions_.empty() && call_of(questions_.front()) == tool_use_id;
  std::erase_if(questions_, [&](const auto& q) { return call_of(q) == tool_use_id; });
  if (was_asked) ask_next();
}

void RunCommand::ask_next() {
  view_.question_over();
  typed_.clear();
  answers_.clear();
  answered_ = false;
  if (!questions_.empty()) ask_first();
}

void RunCommand::ask_first() {
  forget_typed_ahead(options_.input);
  if (const auto* approval = std::get_if<agent::ApprovalRequested>(&questions_.front())) {
    return view_.ask(*approval);
  }
  const auto& all = std::get<agent::QuestionAsked>(questions_.front()).questions;
  view_.ask(all[answers_.size()], answers_.size() + 1, all.size());
}

// Waits for the run, and meanwhile for the person or for the end of standard output.
void RunCommand::step() {
  if (!questions_.empty() && !answered_ && !input_ended_) {
    read_answer();
  } else if (output_gone_ || outbox_) {
    std::array<char, 1> nothing{};
    (void)platform::read_or_wake(-1, inbox_.wake(), nothing);
  } else if (platform::wait_idle(options_.output, inbox_.wake()).kind !=
             platform::WriteStep::Kind::woken) {
    output_lost();
  }
  inbox_.work();
}

void RunCommand::read_answer() {
  std::array<char, 1024> buffer{};
  const auto step = platform::read_or_wake(options_.input, inbox_.wake(), buffer);
  switch (step.kind) {
    case platform::ReadStep::Kind::woken:
      return;
    case platform::ReadStep::Kind::data:
      typed_.append(buffer.data(), step.bytes);
      break;
    case platform::ReadStep::Kind::end:
    case platform::ReadStep::Kind::failed:
      input_ended_ = true;
      // The signal may come later than the end of input that it brings.
      if (has_event(options_.input, 0)) return stop(exit_code::kTerminated);
      run_->withdraw_approvals();
      return;
  }
  const std::size_t end = typed_.find('\n');
  if (end == std::string::npos) return;
  answer(std::string_view(typed_).substr(0, end));
}

void RunCommand::answer(std::string_view line) {
  const std::string typed(line);
  typed_.clear();
  std::visit([&](const auto& question) { answer(question, typed); }, questions_.front());
}

void RunCommand::not_understood() {
  forget_typed_ahead(options_.input);
  view_.ask_again();
}

// The next question comes with approvalResolved; one that was withdrawn meanwhile, too.
void RunCommand::answer(const agent::ApprovalRequested& question, std::string_view line) {
  auto approval = parse_person_answer(line);
  if (!approval) return not_understood();
  answered_ = true;
  view_.answered();
  approval->tool_use_id = question.tool_use_id;
  run_->approve(std::move(*approval), [](const Result<void>&) {});
}

void RunCommand::answer(const agent::QuestionAsked& question, std::string_view line) {
  auto typed = parse_question_answer(line, question.questions[answers_.size()]);
  if (!typed) return not_understood();
  view_.answered();
  if (!typed->rejected) {
    answers_.push_back(std::move(typed->answer));
    if (answers_.size() < question.questions.size()) return ask_first();
  }
  answered_ = true;
  agent::AnswersGiven given{question.tool_use_id, {}, typed->rejected, std::move(typed->message)};
  if (!given.rejected) given.answers = std::exchange(answers_, {});
  run_->answer_question(std::move(given), [](const Result<void>&) {});
}

// The io thread.
void RunCommand::signalled(int number) {
  const int code = number == SIGINT ? exit_code::kInterrupted : exit_code::kTerminated;
  signal_exit_ = code;
  ++signals_;
  inbox_.post([this, code] {
    if (code == exit_code::kInterrupted && isatty(STDERR_FILENO) == 1) view_.line_broken();
    stop(code);
  });
}

void RunCommand::stop(int code) {
  if (!exit_) exit_ = code;
  if (run_) run_->cancel([](agent::Ending) {});
}

// A terminal that hung up takes the output with it, maybe before its signal is here.
void RunCommand::output_lost() {
  output_gone_ = true;
  stop(asks_ && has_event(options_.input, 0) ? exit_code::kTerminated : exit_code::kError);
}

bool RunCommand::write_answer(std::string_view text) {
  if (output_gone_) return false;
  switch (write_to(options_.output, text)) {
    case platform::WriteStep::Kind::wrote:
      return true;
    case platform::WriteStep::Kind::woken:
      output_gone_ = true;  // the signal decides how we end
      return false;
    case platform::WriteStep::Kind::closed:
    case platform::WriteStep::Kind::failed:
      output_lost();
      return false;
  }
  return false;
}

bool RunCommand::write_activity(std::string_view text) {
  if (!activity_gone_) {
    activity_gone_ = write_to(STDERR_FILENO, text) != platform::WriteStep::Kind::wrote;
  }
  return !activity_gone_;
}

// Waits for a slow reader, but not past a signal: then for half a second in all, and `woken` says
// that it did not read. Whoever called us goes on with the inbox.
platform::WriteStep::Kind RunCommand::write_to(int fd, std::string_view text) {
  using Kind = platform::WriteStep::Kind;
  while (!text.empty()) {
    if (signal_exit_ != 0) {
      if (!last_words_by_) last_words_by_ = std::chrono::steady_clock::now() + 500ms;
      return write_by(fd, text, *last_words_by_) ? Kind::wrote : Kind::woken;
    }
    const auto step = platform::write_or_wake(fd, inbox_.wake(), text);
    if (step.kind == Kind::closed || step.kind == Kind::failed) return step.kind;
    text.remove_prefix(step.bytes);
  }
  return Kind::wrote;
}

}  // namespace

int run_command(const RunCommandOptions& options) {
  auto prompt = read_prompt(options);
  if (!prompt) return exit_code::kUsage;
  RunCommand command(options);
  const int code = command.execute(std::move(*prompt));
  // A thread that was given up may still use tools and files: they are not destroyed under it.
  if (agent::left_behind() > 0) std::_Exit(code);
  return code;
}

}  // namespace agentd::server
