// A workspace on the real disk with real processes, in which tools are called as a run calls them:
// coerce, then run. Removed at the end.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "platform/io.h"
#include "tools/registry.h"

namespace agentd::tools {

class Workspace {
 public:
  Workspace() {
    std::string name = "/tmp/agentd-tools-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top_ = std::filesystem::canonical(name).string();
    root_ = top_ + "/ws";
    std::filesystem::create_directory(root_);
    cwd_ = root_;
  }
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(top_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& root() const { return root_; }
  std::string path(const std::string& name) const { return root_ + "/" + name; }

  void put(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  std::string get(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  CallContext context() {
    return {.session_id = "session",
            .tool_use_id = "toolu_1",
            .cwd = cwd_,
            .workspace = root_,
            .files = *files_,
            .commands = commands_ != nullptr ? *commands_ : io().commands(),
            .read_set = read_set_,
            .gate = nullptr,
            .stop = stop_.get_token(),
            .progress = [this](platform::OutputStream, std::string_view text) {
              std::lock_guard lock(mutex_);
              progress_ += text;
            }};
  }

  Outcome call(const std::string& tool, const Json& input) {
    const Tool* found = registry_.find(tool);
    REQUIRE(found != nullptr);
    const Result<Json> coerced = found->coerce(input);
    if (!coerced) FAIL(coerced.error().message);
    const auto resolves = try_resolve(found->access(*coerced, cwd_));
    if (!resolves) return error_outcome(resolves.error().message);  // as a run tells it
    const Access& judged = *resolves;
    CallContext judged_context = context();
    judged_context.judged = &judged;
    Outcome outcome = found->run(*coerced, judged_context);
    REQUIRE_FALSE(outcome.content.empty());
    if (outcome.cwd) cwd_ = *outcome.cwd;
    return outcome;
  }

  /// As permission::resolve does, which is of a room above.
  Result<Access> try_resolve(Access access) {
    for (auto* paths : {&access.reads, &access.writes}) {
      for (std::string& path : *paths) {
        auto canonical = files_->canonical(path);
        if (!canonical) return canonical.error();
        path = std::move(*canonical);
      }
    }
    return access;
  }
  Access resolved(Access access) { return try_resolve(std::move(access)).value(); }

  /// What the model is told when its input does not pass.
  std::string refusal(const std::string& tool, const Json& input) const {
    const Result<Json> coerced = registry_.find(tool)->coerce(input);
    return coerced ? "" : coerced.error().message;
  }

  const Tool& tool(const std::string& name) const { return *registry_.find(name); }
  platform::Io& io() {
    if (!io_) io_ = std::make_unique<platform::Io>();
    return *io_;
  }
  void use(platform::Commands& commands) { commands_ = &commands; }
  void set_cwd(std::string cwd) { cwd_ = std::move(cwd); }
  const std::string& cwd() const { return cwd_; }
  std::stop_source& stop() { return stop_; }
  std::string progress() {
    std::lock_guard lock(mutex_);
    return progress_;
  }

 private:
  std::string top_;
  std::string root_;
  std::string cwd_;
  std::unique_ptr<platform::Files> files_ = platform::make_disk_files();
  std::unique_ptr<platform::Io> io_;
  platform::Commands* commands_ = nullptr;
  platform::ReadSet read_set_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::string progress_;
  Registry registry_ = built_in_tools();
};

inline std::string text_of(const Outcome& outcome) {
  std::string text;
  for (const ToolContent& content : outcome.content) {
    if (const auto* block = std::get_if<TextBlock>(&content)) text += block->text;
  }
  return text;
}

inline bool says(const Outcome& outcome, const std::string& part) {
  return text_of(outcome).find(part) != std::string::npos;
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace agentd::tools
