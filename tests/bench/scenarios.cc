#include "bench/scenarios.h"

#include <dirent.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/process_figures.h"
#include "bench/replies.h"

namespace agentd::bench {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

void answer_with_text(Rig& rig, const std::string& text = "Hello.") {
  rig.endpoint.serve([reply = text_reply(text)](Exchange& exchange) { exchange.whole(reply); });
}

/// One prompt, so that connections, caches and pages are warm.
void warm_up(Rig& rig, Subject& subject) {
  answer_with_text(rig);
  subject.start();
  subject.finish();
}

/// The process whose command line ends with these words, or 0.
pid_t find_process(const std::string& words) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::isdigit(static_cast<unsigned char>(name[0]))) continue;
    std::ifstream file(entry.path() / "cmdline");
    std::string line((std::istreambuf_iterator<char>(file)), {});
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.rfind(words, 0) == 0) return std::stoi(name);
  }
  return 0;
}

std::vector<double> gaps(const std::vector<Endpoint::Times>& times) {
  std::vector<double> result;
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    result.push_back(milliseconds(times[k + 1].received - times[k].answered));
  }
  return result;
}

/// A run of `turns` replies made by `reply`, then a text: the gap after each.
std::vector<double> turn_gaps(Rig& rig, Subject& subject, std::size_t turns,
                              const std::function<std::string(std::size_t)>& reply) {
  std::vector<std::string> replies;
  for (std::size_t turn = 0; turn < turns; ++turn) replies.push_back(reply(turn));
  replies.push_back(text_reply("Done."));
  rig.endpoint.serve([&](Exchange& exchange) { exchange.whole(replies.at(exchange.index)); });
  subject.start();
  subject.finish();
  const auto times = rig.endpoint.times(turns + 1);
  if (times.size() != turns + 1) throw std::runtime_error("more requests than turns");
  return gaps(times);
}

ToolCall read_call(const Rig& rig, std::size_t index) {
  return {"Read", {{"file_path", rig.file(index)}}};
}

/// Waits until somebody opens `path`.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& path) : watch_(inotify_init1(IN_CLOEXEC)) {
    if (inotify_add_watch(watch_, path.c_str(), IN_OPEN) < 0) {
      throw std::runtime_error("inotify: cannot watch " + path);
    }
  }
  ~OpenWatch() { close(watch_); }
  OpenWatch(const OpenWatch&) = delete;
  OpenWatch& operator=(const OpenWatch&) = delete;

  bool wait() const {
    pollfd ready{watch_, POLLIN, 0};
    return poll(&ready, 1, 5000) == 1;
  }

 private:
  int watch_;
};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) throw std::runtime_error("nothing was measured");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double start_up(Rig& rig) {
  std::vector<double> values;
  for (int i = 0; i < 15; ++i) values.push_back(Subject(rig).start_up_ms());
  return median(values);
}

double idle_memory(Rig& rig) {
  Subject subject(rig);
  warm_up(rig, subject);
  return status_megabytes(subject.pid(), "VmRSS");
}

double start_to_request(Rig& rig) {
  Subject subject(rig);
  warm_up(rig, subject);
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) {
    answer_with_text(rig);
    const TimePoint sent = subject.start();
    subject.finish();
    values.push_back(milliseconds(rig.endpoint.times(1)[0].received - sent));
  }
  return median(values);
}

ReadTurns read_turns(Rig& rig, std::size_t turns) {
  Subject subject(rig);
  warm_up(rig, subject);
  const auto values = turn_gaps(rig, subject, turns, [&](std::size_t turn) {
    return tool_reply(turn, {read_call(rig, turn)});
  });
  ReadTurns result;
  result.median = median(values);
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  result.p95 = sorted.at(sorted.size() * 95 / 100);
  result.last_median = median({values.end() - 50, values.end()});
  result.peak_memory = status_megabytes(subject.pid(), "VmHWM");
  return result;
}

double command_turns(Rig& rig) {
  Subject subject(rig);
  warm_up(rig, subject);
  return median(turn_gaps(rig, subject, 50, [](std::size_t turn) {
    // Each its own: the same command again and again would be asked about.
    return tool_reply(turn, {{"Bash", {{"command", "true " + std::to_string(turn)}}}});
  }));
}

double parallel_reads(Rig& rig) {
  Subject subject(rig);
  warm_up(rig, subject);
  const auto values = turn_gaps(rig, subject, 13, [&](std::size_t turn) {
    std::vector<ToolCall> calls;
    for (std::size_t i = 0; i < 8; ++i) calls.push_back(read_call(rig, turn * 8 + i));
    return tool_reply(turn, calls);
  });
  return median({values.begin() + 1, values.end()});  // the first one warms up
}

double paced_delta(Rig& rig) {
  constexpr std::size_t kDeltas = 400;
  constexpr std::chrono::milliseconds kPace{5};
  Subject subject(rig);
  warm_up(rig, subject);
  std::vector<TimePoint> written(kDeltas);
  std::vector<TimePoint> seen(kDeltas);
  rig.endpoint.serve([&](Exchange& exchange) {
    exchange.begin();
    exchange.part(message_start() + text_start(0));
    TimePoint next = Steady::now();
    for (std::size_t i = 0; i < kDeltas; ++i) {
      std::this_thread::sleep_until(next += kPace);
      const std::string events = text_delta(0, "<" + std::to_string(i) + "> word and word");
      written[i] = Steady::now();
      exchange.part(events);
    }
    exchange.part(block_stop(0) + message_end("end_turn"));
    exchange.finish();
  });
  subject.start();
  subject.finish([&](std::string_view frame) {
    const auto now = Steady::now();
    for (auto at = frame.find('<'); at != std::string_view::npos; at = frame.find('<', at + 1)) {
      seen[std::stoul(std::string(frame.substr(at + 1, 6)))] = now;
    }
  });
  std::vector<double> values;
  for (std::size_t i = 0; i < kDeltas; ++i) values.push_back(milliseconds(seen[i] - written[i]));
  return median(values);
}

double delta_rate(Rig& rig) {
  constexpr std::size_t kDeltas = 20'000;
  constexpr std::string_view kText = "twenty bytes of text";
  constexpr std::string_view kLast = "LAST bytes of a text";
  static_assert(kText.size() == 20 && kLast.size() == 20);
  std::vector<std::string> parts(1, message_start() + text_start(0));
  for (std::size_t i = 0; i < kDeltas; ++i) {
    if (parts.back().size() > 64 * 1024) parts.emplace_back();
    parts.back() += text_delta(0, i + 1 < kDeltas ? kText : kLast);
  }
  parts.push_back(block_stop(0) + message_end("end_turn"));
  Subject subject(rig);
  warm_up(rig, subject);
  rig.endpoint.serve([&](Exchange& exchange) {
    exchange.begin();
    for (const std::string& part : parts) exchange.part(part);
    exchange.finish();
  });
  subject.start();
  TimePoint last_seen;
  std::vector<std::string> frames;
  subject.finish([&](std::string_view frame) {
    if (frame.find("LAST") != std::string_view::npos) last_seen = Steady::now();
    frames.emplace_back(frame);
  });
  std::size_t text_bytes = 0;
  for (const std::string& frame : frames) {
    const Json message = Json::parse(frame);
    if (message["method"] != "agent/textDelta") continue;
    text_bytes += message["params"]["text"].get_ref<const std::string&>().size();
  }
  if (text_bytes != kDeltas * kText.size()) throw std::runtime_error("text was lost");
  const double elapsed = milliseconds(last_seen - rig.endpoint.times(1)[0].received);
  return static_cast<double>(kDeltas) / elapsed * 1000;
}

double block_to_tool(Rig& rig) {
  Subject subject(rig);
  warm_up(rig, subject);
  std::vector<double> values;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::string path = rig.file(500 + i);
    rig.endpoint.serve([&](Exchange& exchange) {
      if (exchange.index > 0) return exchange.whole(text_reply("Done."));
      const OpenWatch watch(path);
      const std::string input = Json({{"file_path", path}}).dump();
      exchange.begin();
      exchange.part(message_start() + tool_start(0, "toolu_open_" + std::to_string(i), "Read") +
                    input_delta(0, input));
      const TimePoint closed = Steady::now();
      exchange.part(block_stop(0));
      if (watch.wait()) values.push_back(milliseconds(Steady::now() - closed));
      exchange.part(message_end("tool_use"));
      exchange.finish();
    });
    subject.start();
    subject.finish();
  }
  if (values.size() != 20)
    throw std::runtime_error("a tool did not start while the stream was open");
  return median(values);
}

double large_input(Rig& rig, std::size_t bytes) {
  const std::string path = rig.workspace + "/large.txt";
  fs::remove(path);
  const std::string input =
      Json({{"file_path", path}, {"content", std::string(bytes, 'x')}}).dump();
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < input.size(); at += 4096) {
    parts.push_back(input_delta(0, std::string_view(input).substr(at, 4096)));
  }
  Subject subject(rig);
  warm_up(rig, subject);
  TimePoint first;
  rig.endpoint.serve([&](Exchange& exchange) {
    if (exchange.index > 0) return exchange.whole(text_reply("Done."));
    exchange.begin();
    exchange.part(message_start() + tool_start(0, "toolu_large", "Write"));
    first = Steady::now();
    for (const std::string& part : parts) exchange.part(part);
    exchange.part(block_stop(0) + message_end("tool_use"));
    exchange.finish();
  });
  subject.start();
  subject.finish();
  const double elapsed = milliseconds(rig.endpoint.times(2)[1].received - first);
  if (fs::file_size(path) != bytes) throw std::runtime_error("the file was not written whole");
  return elapsed;
}

double cancel_command(Rig& rig) {
  std::vector<double> values;
  Subject subject(rig);
  warm_up(rig, subject);
  const std::string words = "tail -f " + rig.file(7);
  for (std::size_t i = 0; i < 5; ++i) {
    rig.endpoint.serve([&](Exchange& exchange) {
      exchange.whole(tool_reply(1000 + i, {{"Bash", {{"command", words}}}}));
    });
    subject.start();
    const TimePoint deadline = Steady::now() + std::chrono::seconds(10);
    while (find_process(words) == 0) {
      if (Steady::now() > deadline) throw std::runtime_error("the command did not start");
    }
    const TimePoint sent = subject.cancel();
    TimePoint ended;
    subject.finish([&](std::string_view) { ended = Steady::now(); });
    if (find_process(words) != 0) throw std::runtime_error("a process outlived its cancel");
    values.push_back(milliseconds(ended - sent));
    subject.read_reply();
  }
  return median(values);
}

double idle_cpu(Rig& rig) {
  constexpr double kSeconds = 5;
  Subject subject(rig);
  warm_up(rig, subject);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = cpu_milliseconds(subject.pid());
  std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
  return (cpu_milliseconds(subject.pid()) - before) / kSeconds;
}

}  // namespace agentd::bench
