#include "support/agent_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace agentd::testing {
namespace {

using Steady = std::chrono::steady_clock;

/// A test starts from nothing but these of the environment it runs in.
constexpr const char* kInherited[] = {"PATH",         "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                      "TSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH",
                                      "TMPDIR"};

std::vector<std::string> environment_of(const AgentProcessOptions& options) {
  std::vector<std::string> environment{"HOME=" + options.home, "LANG=C.UTF-8"};
  const auto given = [&](const char* name) {
    return std::any_of(options.environment.begin(), options.environment.end(),
                       [&](const auto& variable) { return variable.first == name; });
  };
  for (const char* name : kInherited) {
    if (given(name)) continue;
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  }
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

int milliseconds_until(Steady::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
  return left.count() < 0 ? 0 : static_cast<int>(left.count());
}

}  // namespace

AgentProcess::AgentProcess(const AgentProcessOptions& options) : framing_(options.framing) {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw ProcessFault("pipe2 failed");
  error_ = memfd_create("agentd-stderr", MFD_CLOEXEC);
  std::vector<std::string> arguments = options.argv;
  arguments.at(0) = std::filesystem::absolute(arguments[0]);  // it starts elsewhere
  std::vector<std::string> environment = environment_of(options);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  pid_ = fork();
  if (pid_ == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(error_, 2);
    if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) _exit(126);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = out[0];
  if (pid_ < 0) throw ProcessFault("fork failed");
}

AgentProcess::~AgentProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int fd : {input_, output_, error_}) {
    if (fd >= 0) close(fd);
  }
}

void AgentProcess::send(const nlohmann::json& message) {
  const std::string body = message.dump();
  if (framing_ == Framing::lines) return send_bytes(body + "\n");
  send_bytes("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

void AgentProcess::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(input_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw ProcessFault(std::string("write to agentd: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AgentProcess::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

std::optional<std::string_view> AgentProcess::take_frame() {
  const std::string_view rest = std::string_view(buffer_).substr(taken_);
  if (framing_ == Framing::lines) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    taken_ += end + 1;
    return rest.substr(0, end);
  }
  constexpr std::string_view kHeader = "Content-Length: ";
  const auto end = rest.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  if (rest.substr(0, kHeader.size()) != kHeader) {
    throw ProcessFault("not a frame: " + std::string(rest.substr(0, 200)));
  }
  const std::string length(rest.substr(kHeader.size(), end - kHeader.size()));
  const std::size_t size = end + 4 + std::stoul(length);
  if (rest.size() < size) return std::nullopt;
  taken_ += size;
  return rest.substr(end + 4, size - end - 4);
}

void AgentProcess::fill(Steady::time_point deadline) {
  pollfd ready{output_, POLLIN, 0};
  const int count = poll(&ready, 1, milliseconds_until(deadline));
  if (count < 0 && errno == EINTR) return;
  if (count == 0) throw ProcessFault("nothing came in time");
  static thread_local char chunk[256 * 1024];
  const ssize_t got = read(output_, chunk, sizeof chunk);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    ended_ = true;
    return;
  }
  buffer_.append(chunk, static_cast<std::size_t>(got));
}

std::optional<std::string_view> AgentProcess::receive_text(std::chrono::milliseconds limit) {
  const auto deadline = Steady::now() + limit;
  for (;;) {
    if (const auto frame = take_frame()) return frame;
    buffer_.erase(0, taken_);
    taken_ = 0;
    if (ended_) {
      if (!buffer_.empty()) throw ProcessFault("output ends inside a frame: " + buffer_);
      return std::nullopt;
    }
    fill(deadline);
  }
}

std::optional<nlohmann::json> AgentProcess::receive(std::chrono::milliseconds limit) {
  const auto frame = receive_text(limit);
  if (!frame) return std::nullopt;
  auto message = nlohmann::json::parse(*frame, nullptr, false);
  if (message.is_discarded()) {
    throw ProcessFault("not JSON: " + std::string(frame->substr(0, 200)));
  }
  return message;
}

int AgentProcess::wait(std::chrono::milliseconds limit) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd ready{handle, POLLIN, 0};
  int count = 0;
  const auto deadline = Steady::now() + limit;
  do {
    count = poll(&ready, 1, milliseconds_until(deadline));
  } while (count < 0 && errno == EINTR);
  close(handle);
  if (count == 0) throw ProcessFault("the process did not end in time");
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void AgentProcess::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

std::string AgentProcess::standard_error() {
  std::string text;
  char chunk[4096];
  off_t offset = 0;
  for (;;) {
    const ssize_t got = pread(error_, chunk, sizeof chunk, offset);
    if (got <= 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
    offset += got;
  }
}

}  // namespace agentd::testing
