// transcripts AGENTD FILE.rpc...: plays each transcript against the real binary in a new workspace
// and says where the two part. A transcript that does not end with `! exit` is ended by shutdown
// and exit, which must be answered and give 0. At the end no message may be left over and no
// process either.
//
// Names known from the start: $workspace (the directory agentd runs in), $script (the script file).
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "support/agent_process.h"
#include "transcripts/contract.h"
#include "transcripts/transcript.h"

namespace agentd::transcripts {
namespace {

namespace fs = std::filesystem;
using testing::AgentProcess;

// An upper bound on any single wait; sanitizers and a busy machine are slow.
constexpr std::chrono::seconds kPatience{60};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A temporary directory with the workspace, a home and the script in it.
class Place {
 public:
  Place() {
    std::string name = (fs::temp_directory_path() / "agentd-transcript-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Failure("no temporary directory");
    root_ = fs::canonical(name);
    fs::create_directories(workspace());
    fs::create_directories(home());
  }
  ~Place() { fs::remove_all(root_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path workspace() const { return root_ / "workspace"; }
  fs::path home() const { return root_ / "home"; }
  fs::path script() const { return root_ / "script"; }

 private:
  fs::path root_;
};

void write_file(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

bool is_notification(const Json& message) {
  return !message.contains("id");
}

class Player {
 public:
  Player(const std::string& binary, const Transcript& transcript, const Contract& contract)
      : transcript_(transcript), watch_(contract) {
    for (const auto& [path, content] : transcript.files) {
      write_file(place_.workspace() / path, content);
    }
    names_["workspace"] = place_.workspace().string();
    names_["script"] = place_.script().string();
    write_file(place_.script(), filled_text(transcript.script, names_));
    start(binary);
  }

  void play() {
    for (const Step& step : transcript_.steps) {
      try {
        take(step);
      } catch (const std::exception& fault) {
        throw Failure("line " + std::to_string(step.line) + ": " + fault.what() + heard());
      }
    }
    try {
      if (!exited_) end_politely();
      expect_nothing_left();
    } catch (const std::exception& fault) {
      throw Failure(std::string("at the end: ") + fault.what() + heard());
    }
  }

 private:
  void start(const std::string& binary) {
    testing::AgentProcessOptions options;
    options.argv.push_back(binary);
    if (transcript_.framing == testing::Framing::lines) {
      options.argv.insert(options.argv.end(), {"--framing", "lines"});
    }
    for (const std::string& argument : transcript_.arguments) {
      options.argv.push_back(filled_text(argument, names_));
    }
    for (const auto& [name, value] : transcript_.environment) {
      options.environment.emplace_back(name, filled_text(value, names_));
    }
    options.cwd = place_.workspace().string();
    options.home = place_.home().string();
    options.framing = transcript_.framing;
    process_.emplace(options);
  }

  void take(const Step& step) {
    switch (step.kind) {
      case StepKind::send:
        return send(filled(step.message, names_));
      case StepKind::send_raw:
        return process_->send_bytes(filled_text(step.text, names_));
      case StepKind::expect:
        return expect(step.message);
      case StepKind::skip:
        skipping_ = true;
        return;
      case StepKind::close_input:
        return process_->close_input();
      case StepKind::send_signal:
        return send_signal(step.text);
      case StepKind::expect_exit:
        return expect_exit(step.code);
    }
  }

  void send(const Json& message) {
    watch_.sent(message);
    process_->send(message);
  }

  Json receive() {
    auto message = process_->receive(kPatience);
    if (!message) throw Failure("agentd closed its output");
    heard_.push_back(*message);
    watch_.received(*message);
    return *message;
  }

  /// Only the order of one run's notifications, and what Watch holds, is promised: an answer that
  /// comes while notifications are skipped waits for the line that expects it.
  void expect(const Json& pattern) {
    if (pattern.contains("id") && take_held(pattern)) return;
    const bool skip = std::exchange(skipping_, false);
    for (;;) {
      Json message = receive();
      const auto fault = mismatch(pattern, message, names_);
      if (!fault) return;
      if (!skip) throw Failure(*fault);
      if (!is_notification(message)) held_.push_back(std::move(message));
    }
  }

  bool take_held(const Json& pattern) {
    for (auto held = held_.begin(); held != held_.end(); ++held) {
      if (mismatch(pattern, *held, names_)) continue;
      held_.erase(held);
      return true;
    }
    return false;
  }

  void send_signal(const std::string& name) {
    process_->signal(name == "INT" ? SIGINT : name == "HUP" ? SIGHUP : SIGTERM);
  }

  /// Reads what is left (only after `< ...` may there be any), then waits for the end.
  void expect_exit(int code) {
    const bool skip = std::exchange(skipping_, false);
    while (auto message = process_->receive(kPatience)) {
      heard_.push_back(*message);
      watch_.received(*message);
      if (!skip || !is_notification(*message)) throw Failure("not expected: " + message->dump());
    }
    const int actual = process_->wait(kPatience);
    exited_ = true;
    if (actual != code) {
      throw Failure("exit code " + std::to_string(actual) + ", expected " + std::to_string(code) +
                    ", standard error: " + process_->standard_error());
    }
  }

  void end_politely() {
    send({{"jsonrpc", "2.0"}, {"id", "end-of-transcript"}, {"method", "shutdown"}});
    expect({{"id", "end-of-transcript"}, {"result", nullptr}});
    send({{"jsonrpc", "2.0"}, {"method", "exit"}});
    expect_exit(0);
  }

  /// agentd's orphans would have become ours (PR_SET_CHILD_SUBREAPER): there must be none.
  void expect_nothing_left() {
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) != -1) throw Failure("a process outlived agentd");
    watch_.ended();
    if (!held_.empty()) throw Failure("an answer no line expects: " + held_[0].dump());
    const std::string noise = process_->standard_error();
    if (!noise.empty()) throw Failure("standard error is not empty: " + noise);
  }

  std::string heard() {
    std::string text = "\n  standard error: " + process_->standard_error();
    text += "\n  the last messages were:";
    const std::size_t from = heard_.size() > 6 ? heard_.size() - 6 : 0;
    for (std::size_t i = from; i < heard_.size(); ++i) text += "\n    " + heard_[i].dump();
    return text;
  }

  const Transcript& transcript_;
  Watch watch_;
  Place place_;
  Names names_;
  std::optional<AgentProcess> process_;
  std::vector<Json> heard_;
  std::vector<Json> held_;  // answers not expected yet
  bool skipping_ = false;
  bool exited_ = false;
};

bool play_file(const std::string& binary, const std::string& path, const Contract& contract) {
  try {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Failure("cannot be read");
    std::stringstream content;
    content << file.rdbuf();
    const Transcript transcript = parse_transcript(content.str());
    Player(binary, transcript, contract).play();
    std::printf("ok    %s: %s\n", path.c_str(), transcript.title.c_str());
    return true;
  } catch (const std::exception& fault) {
    std::printf("FAIL  %s: %s\n", path.c_str(), fault.what());
    return false;
  }
}

}  // namespace
}  // namespace agentd::transcripts

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: transcripts AGENTD SCHEMA_DIRECTORY FILE.rpc...\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const agentd::transcripts::Contract contract(argv[2]);
  int failed = 0;
  for (int i = 3; i < argc; ++i) {
    failed += agentd::transcripts::play_file(argv[1], argv[i], contract) ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}
