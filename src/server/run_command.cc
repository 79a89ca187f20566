#include "server/run_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "platform/stdio.h"
#include "rpc/outbox.h"
#include "server/engine.h"
#include "server/events.h"
#include "server/exit_code.h"
#include "server/inbox.h"
#include "server/piped_input.h"
#include "server/prompter.h"
#include "server/run_output.h"
#include "server/session_end.h"
#include "server/storage.h"
#include "server/terminal_view.h"

namespace agentd::server {
namespace {

using namespace std::chrono_literals;

// A pipe that nobody writes to is waited for this long when there is a prompt without it.
constexpr auto kPatience = 3s;

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

// The session of the run: a new one, or one that was stored.
struct Started {
  std::string id;
  Engine::Beginning beginning;
  session::StoredWishes wishes;
  std::shared_ptr<session::SessionJournal> journal;  // nullptr: it is not stored
};

class RunCommand final : public agent::Sink {
 public:
  explicit RunCommand(const RunCommandOptions& options)
      : options_(options),
        output_(options.output, inbox_.wake(), [this] { output_lost(); }),
        view_(make_place()),
        prompter_(options.input, inbox_.wake(), view_) {}

  int execute(std::vector<Block> prompt) {
    engine_.io().on_signal({SIGINT, SIGTERM, SIGHUP}, [this](int number) { signalled(number); });
    if (auto failure = start(std::move(prompt))) {
      const bool of_setting =
          failure->where == "fallbackModels" || failure->where == "toolSummaryModel";
      view_.say("agentd: " + (of_setting ? failure->where + ": " : "") + failure->message);
      const bool wrong_flag =
          failure->code == Code::invalid_input || failure->code == Code::not_found;
      return wrong_flag ? exit_code::kUsage : exit_code::kError;
    }
    while (!over_) step();
    run_.reset();
    end_session();
    storage_.close();
    const bool all_told = !outbox_ || outbox_->drain(5s);
    if (const int code = signal_exit_; code != 0) exit_ = exit_.value_or(code);
    if (!all_told) exit_ = exit_.value_or(exit_code::kError);
    return exit_.value_or(exit_code::of(agent::outcome_of(ending_)));
  }

  void emit(agent::Event event) override;

 private:
  TerminalView::Place make_place();
  std::optional<Error> start(std::vector<Block> prompt);
  Result<Started> begin_session(const std::string& directory, const std::vector<Block>& prompt);
  void end_session();
  void tell_session_hook(const std::string& session_id, const hooks::HookRecord& record);
  void take(const agent::Event& event);
  void step();
  void output_lost();
  void signalled(int number);
  void stop(int code);

  const RunCommandOptions options_;
  Inbox inbox_;
  RunOutput output_;
  Engine engine_;
  Storage storage_{engine_, options_.store_sessions};
  TerminalView view_;
  Prompter prompter_;
  std::unique_ptr<rpc::Outbox> outbox_;  // --json
  std::unique_ptr<EventWriter> events_;  // --json, or the session is stored: the run's thread only
  std::shared_ptr<FlowGate> gate_ = std::make_shared<FlowGate>();
  std::unique_ptr<agent::Run> run_;

  bool over_ = false;            // the run has ended
  agent::HookContext hooks_;     // of the session
  std::atomic<int> signals_{0};  // counted on the io thread
  bool session_ended_ = false;
  std::unique_ptr<SessionEnd> session_end_;
  agent::Ending ending_ = agent::Ending::internal_error;
  std::optional<int> exit_;              // decided by something else than the ending
  std::atomic<std::size_t> waiting_{0};  // bytes handed over and not printed yet
  std::atomic<int> signal_exit_{0};      // set on the io thread
};

TerminalView::Place RunCommand::make_place() {
  TerminalView::Place place;
  place.answer = [this](std::string_view text) { return output_.write_answer(text); };
  place.activity = [this](std::string_view text) { return output_.write_activity(text); };
  place.answer_is_terminal = isatty(options_.output) == 1;
  place.activity_is_terminal = isatty(STDERR_FILENO) == 1;
  return place;
}

std::optional<Error> RunCommand::start(std::vector<Block> prompt) {
  std::error_code failed;
  const auto directory = options_.cwd.empty()
                             ? current_directory()
                             : std::filesystem::absolute(options_.cwd, failed).string();
  auto started = begin_session(directory, prompt);
  if (!started) return started.error();
  Engine::Beginning* beginning = &started->beginning;
  if (beginning->conversation.mode == permission::Mode::accept_edits) view_.edits_are_allowed();
  std::vector<agent::Notice> notices = to_notices(beginning->settings.notices);
  RunWishes wishes;
  wishes.model = options_.model ? options_.model : started->wishes.model;
  wishes.max_turns = options_.max_turns;
  wishes.max_budget_usd = options_.max_budget_usd;
  wishes.fallback_models = options_.fallback_models;
  wishes.questions = prompter_.has_person();
  if (options_.tools) wishes.tools = names_in(*options_.tools);
  auto run = engine_.options(wishes, beginning->settings.settings, notices);
  if (!run) return run.error();
  run->session_id = started->id;
  run->journal = started->journal;
  run->run_id = engine_.ids().next("run");
  if (started->journal) {
    if (options_.model) started->wishes.model = options_.model;
    started->journal->set_wishes(started->wishes);
    run->checkpoints = started->journal->checkpoints(run->run_id);
  }
  run->prompt = std::move(prompt);
  run->approvals = prompter_.has_person();
  run->hooks = std::move(beginning->hooks);
  hooks_ = {run->hooks, run->session_id, {}, {}, {}, {}};
  run->memory_places = std::move(beginning->memory_places);
  if (options_.json) {
    outbox_ = std::make_unique<rpc::Outbox>(options_.output, [this](const std::string&) {
      inbox_.post([this] { stop(exit_code::kError); });
    });
    outbox_->set_framing(rpc::Framing::lines);
  } else {
    for (const agent::Notice& notice : notices) view_.show(notice);
  }
  if (outbox_ || run->journal) {
    std::optional<rpc::RunChannel> channel;
    if (outbox_) channel = outbox_->open_run(run->session_id, run->run_id, gate_);
    events_ = std::make_unique<EventWriter>(std::move(channel), std::move(notices),
                                            RunRecord{started->journal, run->run_id, run->prompt});
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

Result<Started> RunCommand::begin_session(const std::string& directory,
                                          const std::vector<Block>& prompt) {
  auto beginning = engine_.begin(directory);
  if (!beginning) return beginning.error();
  if (!options_.go_on && options_.session_id.empty()) {
    if (options_.mode) beginning->conversation.set_mode(*options_.mode);
    Started started{engine_.ids().next("session"), std::move(*beginning), {}, nullptr};
    started.journal = storage_.begin(started.id, prompt, started.beginning.conversation,
                                     started.beginning.settings.settings, std::nullopt);
    return started;
  }
  auto opened = open_for_run(storage_, beginning->conversation.workspace,
                             {options_.session_id, options_.fork, engine_.ids().next("session"),
                              session::wall_ms(engine_.io().clock())});
  if (!opened) return opened.error();
  // Its own directory counts, whose settings hold; the mode is that of this command.
  auto its_own = engine_.begin(opened->row.workspace);
  if (!its_own) return its_own.error();
  opened->conversation.set_mode(options_.mode.value_or(its_own->conversation.mode));
  its_own->conversation = std::move(opened->conversation);
  return Started{opened->row.id, std::move(*its_own), std::move(opened->wishes),
                 std::move(opened->journal)};
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
  if (events_) events_->emit(event);
  if (!outbox_ && waiting_.fetch_add(weight(event)) + weight(event) > kMaxWaiting) {
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
  prompter_.take(event);
}

// Waits for the run, and meanwhile for the person or for the end of standard output.
void RunCommand::step() {
  if (prompter_.waiting()) {
    // The signal may come later than the hang-up that it tells of.
    if (!prompter_.read(*run_)) stop(exit_code::kTerminated);
  } else if (outbox_) {
    std::array<char, 1> nothing{};
    (void)platform::read_or_wake(-1, inbox_.wake(), nothing);
  } else {
    output_.wait();
  }
  inbox_.work();
}

// The io thread.
void RunCommand::signalled(int number) {
  const int code = number == SIGINT ? exit_code::kInterrupted : exit_code::kTerminated;
  signal_exit_ = code;
  output_.hurry();
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
  stop(prompter_.hung_up() ? exit_code::kTerminated : exit_code::kError);
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
