// bench AGENTD FLOOR: measures both in turns on a loopback model server and prints one table: the
// best peer's figure (measured on another day), the floor's and ours of this run, what must be
// reached, and whether it is. Medians. Run it on an idle machine: only the ratios carry over.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/long_session.h"
#include "bench/scenarios.h"
#include "bench/stored_sessions.h"

namespace agentd::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 3;

struct Row {
  const char* figure;
  const char* peer;
  const char* unit;
  std::function<double(Rig&)> measure;
  std::function<double(double)> target;  // from the floor's figure
  bool more_is_better = false;
  bool has_floor = true;
  int rounds = kRounds;
};

std::function<double(double)> at_most(double value) {
  return [value](double) { return value; };
}
std::function<double(double)> floor_plus(double value) {
  return [value](double floor) { return floor + value; };
}
std::function<double(double)> floor_times(double factor) {
  return [factor](double floor) { return floor * factor; };
}

/// The figures of one long run, which is made once.
std::vector<Row> rows_of_many_calls() {
  constexpr std::size_t kCalls = 10'000;
  // What is kept of an output in the conversation, with its escapes and the bytes of a request.
  constexpr double kKeptPerCall = 64;
  const auto once = std::make_shared<std::optional<ManyCalls>>();
  const auto figure = [once](double ManyCalls::* member) {
    return [once, member](Rig& rig) {
      if (!*once) *once = many_calls(rig, kCalls);
      return (**once).*member;
    };
  };
  return {{"10 000 calls of 1 MB: memory kept", "-", "KB", figure(&ManyCalls::kept_per_call),
           at_most(kKeptPerCall), false, false, 1},
          {"... open files and threads gained", "-", "", figure(&ManyCalls::gained), at_most(0),
           false, false, 1},
          {"... idle afterwards", "-", "ms/s", figure(&ManyCalls::idle_cpu), at_most(0.05), false,
           false, 1}};
}

/// A turn on top of a recorded session: ours may cost 2 ms more than the floor's.
std::vector<Row> rows_of_recorded_sessions() {
  if (!has_recorded_sessions()) return {};
  const auto turn = [](const char* name) {
    return [name](Rig& rig) { return recorded_turns(rig, name); };
  };
  return {{"a turn on top of a session, 2.3 MB", "-", "ms", turn("pi-before-compaction"),
           floor_plus(2)},
          {"a turn on top of a session, 1 MB", "-", "ms", turn("pi-large-session"), floor_plus(2)}};
}

/// With sessions stored; every other figure is without.
std::vector<Row> rows_of_stored_sessions() {
  const auto turns = [](double StoredTurns::* member) {
    return [member](Rig& rig) { return stored_turns(rig).*member; };
  };
  return {
      {"stored: a Read turn costs more", "-", "ms", turns(&StoredTurns::more), at_most(1), false,
       false},
      {"stored: p95 of it", "-", "ms", turns(&StoredTurns::more_p95), at_most(5), false, false},
      {"stored: a turn with Bash `true`, more", "-", "ms", stored_command, at_most(1), false,
       false},
      {"stored: agent/start -> request, more", "-", "ms", stored_start, at_most(1), false, false},
      {"stored: 10 000 messages are at hand", "-", "ms", open_long_session, at_most(300), false,
       false},
      {"stored: list of 10 000 sessions", "-", "ms", list_sessions, at_most(50), false, false},
  };
}

std::vector<Row> rows() {
  const auto last_of_1000 = [](Rig& rig) { return read_turns(rig, 1000).last_median; };
  const auto median_of_200 = [](Rig& rig) { return read_turns(rig, 200).median; };
  const auto memory_of_200 = [](Rig& rig) { return read_turns(rig, 200).peak_memory; };
  const auto input = [](std::size_t bytes) {
    return [bytes](Rig& rig) { return large_input(rig, bytes); };
  };
  std::vector<Row> all = {
      {"process start -> initialize answered", "61", "ms", start_up, floor_plus(2)},
      {"resident memory, idle", "119", "MB", idle_memory, at_most(16)},
      {"peak memory after 200 tool turns", "166", "MB", memory_of_200, at_most(25)},
      {"agent/start -> request, warm", "4", "ms", start_to_request, at_most(1)},
      {"reply -> request, a Read, 200 turns", "4.3", "ms", median_of_200, floor_times(2)},
      {"reply -> request, a Read, at turn 975", "13.1", "ms", last_of_1000, floor_times(2)},
      {"reply -> request, Bash `true`", "8.7", "ms", command_turns, floor_plus(1)},
      {"reply with 8 Reads -> request", "12", "ms", parallel_reads, floor_times(1.5)},
      {"text delta -> notification, paced", "0.32", "ms", paced_delta, floor_plus(0.1)},
      {"20 000 deltas of 20 bytes", "49000", "/s", delta_rate, floor_times(0.7), true},
      {"block closed -> tool opens its file", "15", "ms", block_to_tool, at_most(0.5)},
      {"2 MB tool input -> request", "199", "ms", input(2u << 20), floor_times(1.3)},
      {"8 MB tool input -> request", "-", "ms", input(8u << 20), floor_times(1.3)},
      {"cancel of `tail -f` -> runEnded", "8.5", "ms", cancel_command, at_most(10), false, false},
      {"idle", "0.9", "ms/s", idle_cpu, at_most(0.05)},
  };
  for (const auto& more :
       {rows_of_stored_sessions(), rows_of_recorded_sessions(), rows_of_many_calls()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// The workspace the peers were measured in: 1000 files of 1056 bytes in a git repository.
void lay_workspace(const fs::path& workspace) {
  fs::create_directories(workspace);
  std::string content;
  for (int line = 0; line < 32; ++line) content += "0123456789abcdef0123456789abcdef\n";
  for (int file = 0; file < 1000; ++file) {
    std::ofstream(workspace / ("file" + std::to_string(file) + ".txt")) << content;
  }
  const std::string in = "cd '" + workspace.string() + "' && ";
  if (std::system((in + "git init -q && git add -A && git -c user.name=b -c user.email=b "
                        "commit -q -m b >/dev/null 2>&1")
                      .c_str()) != 0) {
    std::fprintf(stderr, "bench: no git repository could be made, going on without\n");
  }
}

struct Measured {
  double floor = NAN;
  double ours = NAN;
  std::string fault;
};

Measured measure(const Row& row, Rig& floor, Rig& ours) {
  std::vector<double> floor_values;
  std::vector<double> our_values;
  Measured result;
  try {
    for (int round = 0; round < row.rounds; ++round) {
      if (row.has_floor) floor_values.push_back(row.measure(floor));
      our_values.push_back(row.measure(ours));
    }
  } catch (const std::exception& fault) {
    result.fault = fault.what();
  }
  if (!floor_values.empty()) result.floor = median(floor_values);
  if (!our_values.empty()) result.ours = median(our_values);
  return result;
}

std::string number(double value) {
  if (std::isnan(value)) return "-";
  char text[32];
  const int digits = value >= 1000 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

bool print_row(const Row& row, const Measured& measured) {
  const double target = row.target(measured.floor);
  const bool met = measured.fault.empty() &&
                   (row.more_is_better ? measured.ours >= target : measured.ours <= target);
  std::printf("| %-38s | %6s | %8s | %8s | %s %8s | %-4s | %s%s\n", row.figure, row.peer,
              number(measured.floor).c_str(), number(measured.ours).c_str(),
              row.more_is_better ? ">=" : "<=", number(target).c_str(), row.unit,
              met ? "met" : "MISSED ", measured.fault.c_str());
  std::fflush(stdout);
  return met;
}

/// The installed binary, stripped as `cmake --install` does.
Measured binary_size(const std::string& binary, const fs::path& place) {
  const std::string stripped = (place / "stripped").string();
  Measured measured;
  if (std::system(("strip -o '" + stripped + "' '" + binary + "'").c_str()) != 0) {
    measured.fault = "strip failed";
    return measured;
  }
  measured.ours = static_cast<double>(fs::file_size(stripped)) / (1024 * 1024);
  return measured;
}

int run(const std::string& agentd, const std::string& floor, const std::string& only) {
  std::string name = (fs::temp_directory_path() / "agentd-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 2;
  const fs::path place = fs::canonical(name);
  lay_workspace(place / "workspace");
  fs::create_directories(place / "home");
  int missed = 0;
  {
    Endpoint endpoint;
    Rig floor_rig{Kind::floor, floor, place / "workspace", place / "home", endpoint};
    Rig our_rig{Kind::agentd, agentd, place / "workspace", place / "home", endpoint};
    std::printf("| %-38s | %6s | %8s | %8s | %11s | unit |\n", "figure", "peer", "floor", "ours",
                "must reach");
    for (const Row& row : rows()) {
      if (std::string(row.figure).find(only) == std::string::npos) continue;
      missed += print_row(row, measure(row, floor_rig, our_rig)) ? 0 : 1;
    }
    const Row size{"installed binary, stripped", "180", "MB", nullptr, at_most(4)};
    missed += print_row(size, binary_size(agentd, place)) ? 0 : 1;
  }
  fs::remove_all(place);
  std::printf("%d missed\n", missed);
  return 0;
}

}  // namespace
}  // namespace agentd::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench AGENTD FLOOR [PART OF A FIGURE'S NAME]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  return agentd::bench::run(std::filesystem::canonical(argv[1]),
                            std::filesystem::canonical(argv[2]), argc > 3 ? argv[3] : "");
}
