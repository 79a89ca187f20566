// What is judged is what is used, whatever happens on the disk in between.
#include "agent/tool_job.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "support/agent_rig.h"
#include "tools/registry.h"

using namespace agentd;
using namespace agentd::agent;

namespace {

// The disk, on which `sub` becomes a link out of the workspace as soon as a path was resolved.
class SwappingFiles final : public platform::Files {
 public:
  SwappingFiles() {
    std::string name = "/tmp/agentd-job-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top_ = std::filesystem::canonical(name);
    std::filesystem::create_directories(top_ / "ws/sub");
    std::filesystem::create_directories(top_ / "outside");
    std::ofstream(top_ / "ws/sub/f") << "mine";
    std::ofstream(top_ / "outside/f") << "secret";
  }
  ~SwappingFiles() override { std::filesystem::remove_all(top_); }

  std::filesystem::path top() const { return top_; }

  Result<std::string> canonical(const std::string& path) override {
    auto resolved = disk_->canonical(path);
    if (!swapped_) {
      std::filesystem::rename(top_ / "ws/sub", top_ / "ws/was");
      std::filesystem::create_directory_symlink(top_ / "outside", top_ / "ws/sub");
      swapped_ = true;
    }
    return resolved;
  }
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
    return disk_->replace(path, content, links);
  }
  Result<void> replace_with_mode(const std::string& path, std::string_view content,
                                 std::uint32_t mode, platform::Links links) override {
    return disk_->replace_with_mode(path, content, mode, links);
  }
  Result<void> remove(const std::string& path, platform::Links links) override {
    return disk_->remove(path, links);
  }
  Result<std::vector<std::string>> list(const std::string& path, platform::Links links) override {
    return disk_->list(path, links);
  }

 private:
  std::unique_ptr<platform::Files> disk_ = platform::make_disk_files();
  std::filesystem::path top_;
  bool swapped_ = false;
};

tools::Outcome performed(SwappingFiles& files, const std::string& tool, Json input) {
  test::AgentRig rig;  // for its commands
  const tools::Registry registry = tools::built_in_tools();
  const auto read_set = std::make_shared<platform::ReadSet>();
  tools::Outcome outcome;
  const std::string workspace = files.top() / "ws";
  perform({
      .job = 1,
      .tool = registry.find(tool),
      .input = std::make_shared<const Json>(std::move(input)),
      .context = {.session_id = "s",
                  .tool_use_id = "t",
                  .cwd = workspace,
                  .workspace = workspace,
                  .files = files,
                  .commands = *rig.commands,
                  .read_set = *read_set,
                  .gate = nullptr,
                  .stop = {},
                  .progress = [](platform::OutputStream, std::string_view) {}},
      .read_set = read_set,
      .mode = permission::Mode::accept_edits,
      .grants = std::make_shared<const permission::Grants>(),
      .may_run = true,
      .approved = std::nullopt,
      .tell =
          [&](JobMessage message) {
            if (auto* finished = std::get_if<CallFinished>(&message)) outcome = finished->outcome;
          },
  });
  return outcome;
}

}  // namespace

TEST_CASE("a directory swapped for a link between judging and reading gives nothing away") {
  SwappingFiles files;
  const auto outcome = performed(files, "Read", {{"file_path", "sub/f"}});
  CHECK(outcome.is_error);
  REQUIRE(outcome.content.size() == 1);
  CHECK(std::get<TextBlock>(outcome.content[0]).text.find("has become a link") !=
        std::string::npos);
}

TEST_CASE("a directory swapped for a link between judging and writing leads nowhere") {
  for (const char* name : {"sub/f", "sub/new"}) {
    SwappingFiles files;
    CHECK(performed(files, "Write", {{"file_path", name}, {"content", "x"}}).is_error);
    CHECK(std::filesystem::file_size(files.top() / "outside/f") == 6);
    CHECK_FALSE(std::filesystem::exists(files.top() / "outside/new"));
  }
}
