// AgentProcess: the real binary over real pipes, driven as an editor drives it. One thread uses
// it; every wait has an upper bound and a failed wait throws, so that a test ends with a reason.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentd::testing {

enum class Framing { content_length, lines };

struct AgentProcessOptions {
  std::vector<std::string> argv;  // argv[0]: path of the binary
  std::string cwd;
  std::string home;  // HOME; its settings are the user's
  std::vector<std::pair<std::string, std::string>> environment;  // besides PATH, HOME, sanitizers'
  Framing framing = Framing::content_length;
};

/// What went wrong with the process, in words.
struct ProcessFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class AgentProcess {
 public:
  explicit AgentProcess(const AgentProcessOptions& options);
  ~AgentProcess();  // kills it if it still runs
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  void send(const nlohmann::json& message);
  void send_bytes(std::string_view bytes);
  void close_input();

  /// The next message; nothing at the end of its output. Throws when `limit` has passed, and for
  /// output that is not a frame.
  std::optional<nlohmann::json> receive(std::chrono::milliseconds limit);

  /// The next frame's text, unparsed; valid until the next call. For those who measure.
  std::optional<std::string_view> receive_text(std::chrono::milliseconds limit);

  /// Waits for its end: the exit code, or 128 + the signal that killed it.
  int wait(std::chrono::milliseconds limit);
  void signal(int number) const;

  pid_t pid() const { return pid_; }
  int output() const { return output_; }
  /// What it wrote to standard error so far.
  std::string standard_error();

 private:
  std::optional<std::string_view> take_frame();
  void fill(std::chrono::steady_clock::time_point deadline);

  Framing framing_;
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;  // a file without a name
  bool ended_ = false;
  std::string buffer_;
  std::size_t taken_ = 0;  // bytes at the front of buffer_ that were handed out
};

}  // namespace agentd::testing
