// What the tests of checkpoints share: a store and a directory of files on the real disk, an agent
// that changes them as a run does, and a disk that fails, kills or is changed by its user at a
// moment of the test's choice.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include "agent/checkpointed_files.h"
#include "platform/temporary_directory.h"
#include "session/store.h"

namespace agentd::session::test {

struct Directory {
  std::string operator/(const std::string& name) const { return path + "/" + name; }

  platform::TemporaryDirectory place;
  std::string path = std::filesystem::canonical(place.path().value()).string();
};

inline void put(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// "(none)" if there is no file.
inline std::string get(const std::string& path) {
  if (!std::filesystem::exists(path)) return "(none)";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline unsigned mode_of(const std::string& path) {
  return static_cast<unsigned>(std::filesystem::status(path).permissions());
}

/// The disk, with a word of the test before and after each change.
class WatchedFiles final : public platform::Files {
 public:
  std::function<Result<void>(const std::string& path)> before = [](const std::string&) {
    return Result<void>();
  };
  std::function<void(const std::string& path)> after = [](const std::string&) {};

  Result<platform::FileInfo> info(const std::string& path, platform::Links links) override {
    return disk_->info(path, links);
  }
  Result<std::string> read(const std::string& path, std::uint64_t limit,
                           platform::Links links) override {
    return disk_->read(path, limit, links);
  }
  Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                 std::uint64_t length, platform::Links links) override {
    return disk_->read_range(path, offset, length, links);
  }
  Result<void> replace(const std::string& path, std::string_view content,
                       platform::Links links) override {
    return watched(path, [&] { return disk_->replace(path, content, links); });
  }
  Result<void> replace_with_mode(const std::string& path, std::string_view content,
                                 std::uint32_t mode, platform::Links links) override {
    return watched(path, [&] { return disk_->replace_with_mode(path, content, mode, links); });
  }
  Result<void> remove(const std::string& path, platform::Links links) override {
    return watched(path, [&] { return disk_->remove(path, links); });
  }
  Result<std::string> canonical(const std::string& path) override { return disk_->canonical(path); }
  Result<std::vector<std::string>> list(const std::string& path, platform::Links links) override {
    return disk_->list(path, links);
  }

 private:
  template <class Change>
  Result<void> watched(const std::string& path, Change change) {
    auto may = before(path);
    if (!may) return may;
    auto done = change();
    if (done) after(path);
    return done;
  }

  std::unique_ptr<platform::Files> disk_ = platform::make_disk_files();
};

/// Keeps at once, on the caller's thread.
struct KeptAtOnce final : agent::Checkpoints {
  explicit KeptAtOnce(SessionStore& its_store) : store(its_store) {}
  void before_change(const std::string& tool_use_id, agent::FileBefore before) override {
    REQUIRE(store.checkpoints().add("s1", {"r1", tool_use_id, log_size}, before).has_value());
  }
  SessionStore& store;
  std::int64_t log_size = 0;
};

inline SessionStore open_store(const std::string& path) {
  auto store = SessionStore::open(path, Durability::normal);
  REQUIRE_MESSAGE(store.has_value(), store.error().message);
  return std::move(*store);
}

/// A session "s1" that changes files below `directory`.
struct Ground {
  Ground() { REQUIRE(store.add({"s1", std::nullopt, "/w", "", 1, 1, "{}"}).has_value()); }

  std::string path(const std::string& name) const { return directory / name; }

  /// As Write and Edit do, for a request made when the log had `log_size` messages.
  void agent_writes(std::int64_t log_size, const std::string& name, const std::string& content) {
    checkpoints->log_size = log_size;
    agent::CheckpointedFiles wrapped(files, checkpoints, "t1");
    const auto done = wrapped.replace(path(name), content, platform::Links::refuse);
    REQUIRE_MESSAGE(done.has_value(), done.error().message);
  }

  Directory kept;
  Directory directory;
  SessionStore store = open_store(kept / "sessions.db");
  std::shared_ptr<KeptAtOnce> checkpoints = std::make_shared<KeptAtOnce>(store);
  WatchedFiles files;
};

}  // namespace agentd::session::test
