// What a process that goes on for long must not gather: open files, threads, memory, temporary
// files.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/agent_process.h"
#include "temporary_workspace.h"

using namespace agentd::testing;
using namespace std::chrono_literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr auto kLimit = 30s;
constexpr int kRuns = 20;

// More output than a result holds, so that the whole of it goes to a file.
const std::string kScript =
    "reply\n  when results 0\n"
    "  call Bash {\"command\": \"seq 20000; mkdir -p sub; cd sub; cd ..\"}\n"
    "  call Read {\"file_path\": \"notes.txt\"}\n"
    "  call Grep {\"pattern\": \"milk\"}\n"
    "reply\n  text Done.\n";

// Each prints a megabyte, and none is like another: the same again and again would be asked about.
constexpr int kLargeCalls = 20;
std::string script_of_large_outputs() {
  std::string script = "reply\n  when results 0\n";
  for (int call = 1; call <= kLargeCalls; ++call) {
    script += "  call Bash {\"command\": \"printf '%01000000d' " + std::to_string(call) + "\"}\n";
  }
  return script + "reply\n  text Done.\n";
}

// KB. The sanitizer of addresses keeps what was freed for a while.
#ifdef __has_feature  // clang's
#define SANITIZES_ADDRESSES __has_feature(address_sanitizer)
#else
#define SANITIZES_ADDRESSES 0
#endif
#if SANITIZES_ADDRESSES
constexpr long kMemoryOfLargeOutputs = 1024L * 1024;
#else
constexpr long kMemoryOfLargeOutputs = 64L * 1024;
#endif

template <class Iterator>
int entries(const std::string& folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : Iterator(folder)) ++count;
  return count;
}

struct Held {
  int files = 0;
  int threads = 0;
};

class Client {
 public:
  explicit Client(const std::string& script, const std::vector<std::string>& flags = {})
      : agent_(options(flags)) {
    signal(SIGPIPE, SIG_IGN);
    request("initialize", {{"protocolVersion", 1}});
    workspace_.write("work/notes.txt", "buy milk\n");
    model_ = workspace_.script(script);
  }

  Json request(const std::string& method, const Json& params) {
    agent_.send({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
    return until([this](const Json& message) { return message.value("id", Json()) == id_; });
  }

  void run() {
    request(
        "agent/start",
        {{"prompt", "go"}, {"sessionId", "s"}, {"model", model_}, {"permissionMode", "bypass"}});
    const Json ended =
        until([](const Json& message) { return message.value("method", "") == "agent/runEnded"; });
    CHECK(ended["params"]["ending"] == "completed");
  }

  Held held() const {
    const std::string process = "/proc/" + std::to_string(agent_.pid());
    return {entries<fs::directory_iterator>(process + "/fd"),
            entries<fs::directory_iterator>(process + "/task")};
  }

  // Resident, in KB.
  long memory() const {
    std::ifstream status("/proc/" + std::to_string(agent_.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return -1;
  }

  // A run's thread may outlive its last event by a moment: asks until no more is held than
  // `before`, or the time is up.
  Held held_at_most(const Held& before) {
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    while (true) {
      const Held now = held();
      const bool settled = now.files <= before.files && now.threads <= before.threads;
      if (settled || std::chrono::steady_clock::now() > deadline) return now;
      request("tool/list", Json::object());
    }
  }

  void end() {
    request("shutdown", Json::object());
    agent_.send({{"jsonrpc", "2.0"}, {"method", "exit"}});
    CHECK(agent_.wait(kLimit) == 0);
  }

  const std::string& temporary() const { return temporary_; }
  std::string outputs() const { return workspace_.path("home/.local/share/agentd/outputs"); }

 private:
  template <class Match>
  Json until(Match match) {
    while (true) {
      auto message = agent_.receive(kLimit);
      REQUIRE(message);
      if (match(*message)) return *message;
    }
  }
  AgentProcessOptions options(const std::vector<std::string>& flags) const {
    AgentProcessOptions options{.argv = {AGENTD_BINARY},
                                .cwd = workspace_.work(),
                                .home = workspace_.home(),
                                .environment = {{"TMPDIR", temporary_}},
                                .framing = Framing::content_length};
    options.argv.insert(options.argv.end(), flags.begin(), flags.end());
    return options;
  }
  std::string make_temporary() const {
    fs::create_directory(workspace_.path("tmp"));
    return workspace_.path("tmp");
  }

  TemporaryWorkspace workspace_;
  std::string temporary_ = make_temporary();
  AgentProcess agent_;
  std::string model_;
  int id_ = 0;
};

}  // namespace

TEST_CASE("runs leave no open file and no thread, the end leaves no temporary file") {
  Client client(kScript);
  client.run();
  const Held first = client.held();
  for (int run = 1; run < kRuns; ++run) client.run();
  const Held last = client.held_at_most(first);
  CHECK(last.files <= first.files);
  CHECK(last.threads <= first.threads);
  // The whole outputs stay beside the stored session; the shells' own files are gone.
  CHECK(entries<fs::directory_iterator>(client.outputs()) == kRuns);
  CHECK(entries<fs::directory_iterator>(client.temporary()) == 0);
  client.end();
  CHECK(entries<fs::directory_iterator>(client.outputs()) == kRuns);
  CHECK(entries<fs::directory_iterator>(client.temporary()) == 0);
}

TEST_CASE("without stored sessions the whole outputs are gone with the process") {
  Client client(kScript, {"--no-session"});
  client.run();
  CHECK(entries<fs::directory_iterator>(client.temporary()) == 1);
  CHECK(entries<fs::recursive_directory_iterator>(client.temporary()) == 2);
  client.end();
  CHECK(entries<fs::directory_iterator>(client.temporary()) == 0);
}

// What is kept of an output is its head and tail; what it was in whole is in files.
TEST_CASE("a hundred outputs of a megabyte leave no open file, no thread, and not their memory") {
  Client client(script_of_large_outputs());
  client.run();
  const Held first = client.held();
  const long memory = client.memory();
  REQUIRE(memory > 0);
  for (int run = 1; run < 6; ++run) client.run();
  const Held last = client.held_at_most(first);
  CHECK(last.files <= first.files);
  CHECK(last.threads <= first.threads);
  CHECK(client.memory() - memory < kMemoryOfLargeOutputs);
  client.end();
  CHECK(entries<fs::directory_iterator>(client.temporary()) == 0);
}
