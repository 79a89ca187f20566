#include "tools/bash.h"

#include "base/ascii.h"
#include "base/path.h"
#include "platform/signal_name.h"
#include "tools/bash.md.h"
#include "tools/benign_exit.h"
#include "tools/output_text.h"
#include "tools/paths.h"
#include "tools/shell_cwd.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

using How = platform::CommandEnd::How;

constexpr std::int64_t kDefaultTimeoutMs = 120'000;
constexpr std::int64_t kMaxTimeoutMs = 600'000;
// About 30 000 characters inline; the end of an output tells more than its beginning.
constexpr std::size_t kHead = 10'000;
constexpr std::size_t kTail = 20'000;
constexpr std::uint64_t kKillAbove = 5ull << 30;
// Linux takes 128 KB in one argument (MAX_ARG_STRLEN).
constexpr std::size_t kMaxCommand = 128 * 1024 - 1;

struct BashInput {
  std::string command;
  std::optional<std::int64_t> timeout;
  std::optional<std::string> description;

  static void fields(auto& field) {
    field("command", &BashInput::command, "The command, as you would type it into bash.",
          wire::kNoNul);
    field("timeout", &BashInput::timeout,
          "Milliseconds after which the command is killed. Default: 120000, at most 600000.",
          {.minimum = 1});
    field("description", &BashInput::description,
          "What the command does, in five to ten words, for the person who watches.");
  }

  std::int64_t timeout_ms() const {
    return std::min(timeout.value_or(kDefaultTimeoutMs), kMaxTimeoutMs);
  }
};

std::string seconds(std::int64_t ms) {
  if (ms % 1000 == 0) return std::to_string(ms / 1000) + " s";
  return std::to_string(ms) + " ms";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// What stands before the output: how the command ended, if not well.
std::string headline(const platform::CommandEnd& end, bool benign, std::int64_t timeout_ms) {
  switch (end.how) {
    case How::exited:
      return end.exit_code == 0 || benign ? "" : "Exit code " + std::to_string(end.exit_code);
    case How::signalled:
      return "Killed by " + platform::signal_name(end.signal);
    case How::timed_out:
      return "Timed out after " + seconds(timeout_ms) +
             ": the command and everything it started were killed. Give a larger timeout (at "
             "most " +
             std::to_string(kMaxTimeoutMs) +
             " ms), or start it with & and send its output to a file";
    case How::cancelled:
      return "The command was killed";
    case How::too_much_output:
      return "Killed: it wrote more than " + byte_count(kKillAbove);
  }
  return "";
}

// Where the next call starts, and what to say about it.
struct Directory {
  std::optional<std::string> cwd;
  std::string note;
};

Directory next_directory(const std::optional<std::string>& ended_in, const CallContext& context) {
  if (!ended_in || *ended_in == context.cwd) return {};
  if (path_inside(*ended_in, context.workspace)) return {ended_in, {}};
  return {context.workspace, "(the shell ended in " + *ended_in + ", outside the workspace; the " +
                                 "current directory is " + context.workspace + " again)"};
}

std::string where_the_rest_is(const platform::CommandEnd& end) {
  const std::string total = byte_count(end.standard_output.total_bytes);
  if (end.whole_bytes == end.standard_output.total_bytes) {
    return "(the whole output, " + total + ", is in " + end.whole_file + ")";
  }
  return "(the first " + byte_count(end.whole_bytes) + " of " + total + " are in " +
         end.whole_file + ")";
}

std::vector<std::string> notes(const BashInput& input, const platform::CommandEnd& end,
                               const std::optional<std::string>& benign, bool left_out) {
  std::vector<std::string> list;
  if (benign) list.push_back("(" + *benign + ")");
  if (left_out && !end.whole_file.empty()) {
    list.push_back(where_the_rest_is(end));
  }
  if (!end.still_running.empty()) {
    list.push_back("(still running in the background: " +
                   joined(ShellCwd::without_wrapper(end.still_running)) +
                   "; killed when agentd ends)");
  }
  if (!end.unkillable.empty()) {
    list.push_back("(could not be killed: " + joined(end.unkillable) + ")");
  }
  if (input.timeout.value_or(0) > kMaxTimeoutMs) {
    list.push_back("(the timeout was lowered to " + std::to_string(kMaxTimeoutMs) +
                   " ms, the most there is)");
  }
  return list;
}

std::string assembled(const std::string& headline, const std::string& output,
                      const std::vector<std::string>& notes) {
  std::string text = headline;
  if (!text.empty()) text += '\n';
  text += output.empty() ? "(no output)" : output;
  for (const std::string& note : notes) text += (text.back() == '\n' ? "" : "\n") + note;
  return text;
}

Json details_of(const platform::CommandEnd& end) {
  Json details = {{"durationMs", end.duration.count()},
                  {"outputBytes", end.standard_output.total_bytes}};
  if (end.how == How::exited) details["exitCode"] = end.exit_code;
  if (end.how == How::signalled) details["signal"] = end.signal;
  if (end.how == How::timed_out) details["timedOut"] = true;
  if (end.how == How::cancelled) details["interrupted"] = true;
  if (!end.whole_file.empty()) details["outputFile"] = end.whole_file;
  if (!end.still_running.empty()) {
    details["stillRunning"] = ShellCwd::without_wrapper(end.still_running);
  }
  return details;
}

// Live output: chunks arrive on the io thread, one after the other, and stop before run() returns.
struct Live {
  Utf8Stream stream;
  std::function<void(platform::OutputStream, std::string_view)> progress;

  void show(const std::string& text) {
    if (!text.empty() && progress) progress(platform::OutputStream::standard_output, text);
  }
};

class BashTool final : public TypedTool<BashInput> {
 public:
  BashTool() : TypedTool("Bash", embedded::bash) {}

  bool safe(const Json&) const override { return false; }

 protected:
  std::optional<Error> check(const BashInput& input) const override {
    if (ascii::blank(input.command)) {
      return invalid("command", "must not be empty");
    }
    if (input.command.size() > kMaxCommand) {
      return invalid("command",
                     "is longer than " + std::to_string(kMaxCommand) +
                         " bytes, more than the system takes; write it to a file and run that");
    }
    return std::nullopt;
  }

  Access access_of(const BashInput& input, const std::string&) const override {
    return {.reads = {}, .writes = {}, .command = input.command};
  }

  Outcome run_with(const BashInput& input, const CallContext& context) const override {
    const Result<platform::FileInfo> cwd = context.files.info(context.cwd);
    if (!cwd || cwd->kind != platform::FileKind::directory) return cwd_gone(context);

    const ShellCwd shell_cwd;
    const auto live = std::make_shared<Live>();
    live->progress = context.progress;
    Result<platform::CommandEnd> end =
        context.commands.run(spec(input, shell_cwd, live, context), context.stop);
    if (!end) return failed_start(end.error());
    live->show(live->stream.finish());
    return outcome(input, *end, next_directory(shell_cwd.read(), context));
  }

 private:
  static platform::CommandSpec spec(const BashInput& input, const ShellCwd& shell_cwd,
                                    const std::shared_ptr<Live>& live, const CallContext& context) {
    platform::CommandSpec spec;
    spec.argv = shell_cwd.argv(input.command);
    spec.cwd = context.cwd;
    spec.session_id = context.session_id;
    spec.timeout = std::chrono::milliseconds(input.timeout_ms());
    spec.keep_head = kHead;
    spec.keep_tail = kTail;
    spec.keep_whole = true;
    spec.kill_above = kKillAbove;
    spec.merge_streams = true;
    spec.gate = context.gate;
    spec.on_output = [live](platform::OutputStream, std::string_view bytes) {
      live->show(live->stream.take(bytes));
    };
    return spec;
  }

  static Outcome outcome(const BashInput& input, const platform::CommandEnd& end,
                         Directory directory) {
    const std::optional<std::string> benign =
        end.how == How::exited ? benign_exit(input.command, end.exit_code) : std::nullopt;
    const std::string head = headline(end, benign.has_value(), input.timeout_ms());
    const OutputText output = output_text(end.standard_output, kHead, kTail);
    std::vector<std::string> said = notes(input, end, benign, output.left_out);
    if (!directory.note.empty()) said.push_back(directory.note);
    const std::string text = assembled(head, output.text, said);

    Outcome made = head.empty() ? text_outcome(text) : error_outcome(text);
    made.details = details_of(end);
    made.cwd = std::move(directory.cwd);
    made.cancels_queued = made.is_error;
    return made;
  }

  static Outcome cwd_gone(const CallContext& context) {
    Outcome made =
        error_outcome("The current directory " + context.cwd +
                      " does not exist any more, so the command was not run." +
                      (context.cwd == context.workspace
                           ? ""
                           : " The current directory is " + context.workspace + " again."));
    made.cwd = context.workspace;
    made.cancels_queued = true;
    return made;
  }

  static Outcome failed_start(const Error& error) {
    Outcome made = error_outcome("The command could not be started: " + error.message);
    made.cancels_queued = true;
    return made;
  }
};

}  // namespace

std::unique_ptr<Tool> make_bash() {
  return std::make_unique<BashTool>();
}

}  // namespace agentd::tools
