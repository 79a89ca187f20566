// CommandRig: the real Commands, with real processes, and what a case looks for that must not be
// left.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "platform/commands.h"
#include "platform/io.h"
#include "platform/process_tree.h"
#include "scratch.h"

namespace agentd::platform::test {

// An io thread whose end is checked: no child, no descriptor, no temporary directory.
class CommandRig {
 public:
  CommandRig() : descriptors_(open_descriptors()) {
    ::setenv("TMPDIR", scratch_.path().c_str(), 1);
    io_ = std::make_unique<Io>();
  }
  CommandRig(const CommandRig&) = delete;
  CommandRig& operator=(const CommandRig&) = delete;
  ~CommandRig() {
    io_.reset();
    ::unsetenv("TMPDIR");
    CHECK(no_children());
    CHECK(open_descriptors() == descriptors_);
    std::size_t kept = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
      kept += entry.path().filename().string().starts_with("agentd-") ? 1U : 0U;
    }
    CHECK(kept == 0);
  }

  Io& io() { return *io_; }
  const Scratch& scratch() const { return scratch_; }

  CommandSpec bash(const std::string& script) const {
    CommandSpec spec;
    spec.argv = {"bash", "-c", script};
    spec.cwd = scratch_.path();
    spec.session_id = "session";
    return spec;
  }
  CommandEnd run(CommandSpec spec, std::stop_token stop = {}) {
    auto end = io_->commands().run(std::move(spec), stop);
    REQUIRE(end);
    return std::move(*end);
  }
  CommandEnd run(const std::string& script) { return run(bash(script)); }
  // Starts it, waits until it has printed something, then stops it. `taken`: from stop to end.
  CommandEnd run_then_stop(CommandSpec spec, std::chrono::milliseconds* taken = nullptr) {
    std::stop_source source;
    std::atomic<std::int64_t> stopped_at{0};
    spec.on_output = [&](OutputStream, std::string_view) {
      if (stopped_at.exchange(std::chrono::steady_clock::now().time_since_epoch().count()) != 0) {
        return;
      }
      std::thread([source]() mutable { source.request_stop(); }).detach();
    };
    CommandEnd end = run(std::move(spec), source.get_token());
    if (taken != nullptr) {
      *taken = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now().time_since_epoch() -
          std::chrono::nanoseconds(stopped_at.load()));
    }
    return end;
  }

 private:
  Scratch scratch_;
  std::size_t descriptors_;
  std::unique_ptr<Io> io_;
};

inline bool alive(int pid) {
  const auto process = read_process(pid);
  return process && !process->dead();
}

// Up to two seconds for a process to go: an upper bound, not a pause.
inline bool gone_soon(int pid) {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 2s;
  while (alive(pid) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return !alive(pid);
}

inline int number_in(const std::string& path) {
  return std::stoi(get(path));
}

}  // namespace agentd::platform::test
