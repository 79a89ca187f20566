#include "bench/long_session.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/process_figures.h"
#include "bench/replies.h"
#include "bench/scenarios.h"
#include "support/recorded_session.h"
#include "support/recordings.h"

namespace agentd::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastTurns = 50;
constexpr std::size_t kCallsPerReply = 4;
constexpr std::uintmax_t kMegabyte = 1'000'000;

std::string text_of(const ToolResultBlock& result) {
  std::string text;
  for (const ToolContent& part : result.content) {
    if (const auto* said = std::get_if<TextBlock>(&part)) text += said->text;
  }
  return text;
}

/// One reply for each recorded call that had a result: a Read of a file with that text in it.
std::vector<std::string> replies_of(const std::string& name, const fs::path& folder) {
  fs::create_directories(folder);
  std::vector<std::string> replies;
  for (const Message& message : test::recorded_session(name)) {
    for (const Block& block : message.blocks) {
      const auto* result = std::get_if<ToolResultBlock>(&block);
      if (result == nullptr) continue;
      const fs::path file = folder / (std::to_string(replies.size()) + ".txt");
      std::ofstream(file, std::ios::binary) << text_of(*result);
      replies.push_back(tool_reply(replies.size(), {{"Read", {{"file_path", file.string()}}}}));
    }
  }
  replies.push_back(text_reply("Done."));
  return replies;
}

/// The whole outputs lie in files until agentd ends: 10 GB that nobody wants.
void remove_whole_outputs(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::error_code gone;
    if (entry.is_regular_file(gone) && entry.file_size(gone) >= kMegabyte) {
      fs::remove(entry.path(), gone);
    }
  }
}

/// A text, for it may be a summary that is asked for, and calls, each like no other.
std::string reply_with_calls(std::size_t& calls, std::size_t request_bytes) {
  std::string events = message_start(request_bytes / 4) + text_start(0) +
                       text_delta(0, "It goes on.") + block_stop(0);
  for (std::size_t i = 1; i <= kCallsPerReply; ++i) {
    const int block = static_cast<int>(i);
    const std::string number = std::to_string(++calls);
    events += tool_start(block, "toolu_" + number, "Bash") +
              input_delta(block, R"({"command":"printf '%01000000d' )" + number + "\"}") +
              block_stop(block);
  }
  return events + message_end("tool_use");
}

/// What the process holds now.
struct Held {
  double memory = 0;  // KB
  int files_and_threads = 0;
};

Held held(pid_t pid) {
  return {status_megabytes(pid, "VmRSS") * 1024, open_files(pid) + threads(pid)};
}

double cpu_while_idle(pid_t pid) {
  constexpr double kSeconds = 5;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = cpu_milliseconds(pid);
  std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
  return (cpu_milliseconds(pid) - before) / kSeconds;
}

}  // namespace

bool has_recorded_sessions() {
  return test::recordings_present("agent-sessions");
}

double recorded_turns(Rig& rig, const std::string& name) {
  const auto replies = replies_of(name, fs::path(rig.home) / name);
  Subject subject(rig);
  rig.endpoint.serve([&](Exchange& exchange) { exchange.whole(replies.at(exchange.index)); });
  subject.start();
  subject.finish();
  const auto times = rig.endpoint.times(replies.size());
  std::vector<double> last;
  for (std::size_t k = times.size() - kLastTurns; k < times.size(); ++k) {
    last.push_back(milliseconds(times[k].received - times[k - 1].answered));
  }
  return median(last);
}

ManyCalls many_calls(Rig& rig, std::size_t calls) {
  const fs::path temporary = fs::path(rig.home) / "tmp";
  fs::create_directories(temporary);
  Rig own = rig;
  own.temporary = temporary.string();
  own.model = "anthropic/claude-haiku-4-5";  // the usual window, 200 000 tokens
  Subject subject(own);
  std::size_t made = 0;
  Held early;
  Held late;
  rig.endpoint.serve([&](Exchange& exchange) {
    remove_whole_outputs(temporary);
    // Taken at a request: what the calls before it needed is not needed any more.
    if (early.memory == 0 && made >= calls / 10) early = held(subject.pid());
    if (made >= calls) {
      late = held(subject.pid());
      return exchange.whole(text_reply("Done."));
    }
    exchange.whole(reply_with_calls(made, exchange.body.size()));
  });
  subject.start();
  subject.finish();
  ManyCalls result;
  result.kept_per_call = (late.memory - early.memory) / (static_cast<double>(calls) * 0.9);
  result.gained = late.files_and_threads - early.files_and_threads;
  result.idle_cpu = cpu_while_idle(subject.pid());
  return result;
}

}  // namespace agentd::bench
