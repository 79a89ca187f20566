// Before a call changes a file, what it was is told: by the wrapper alone, and in a run by Write
// and Edit, whatever their call does else.
#include "agent/checkpointed_files.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include "support/agent_rig.h"
#include "tools/registry.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::platform::Links;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;
using Was = FileBefore::Was;
namespace fs = std::filesystem;

namespace {

struct Directory {
  Directory() {
    std::string name = "/tmp/agentd-checkpoints-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = fs::canonical(name);
  }
  ~Directory() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return path / name; }
  fs::path path;
};

void put(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string get(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Keeps what it is told, and what was on disk at that moment.
class Told final : public Checkpoints {
 public:
  struct Word {
    std::string tool_use_id;
    FileBefore before;
    std::string on_disk;
  };

  void before_change(const std::string& tool_use_id, FileBefore before) override {
    std::lock_guard lock(mutex_);
    std::string on_disk = get(before.path);
    words_.push_back({tool_use_id, std::move(before), std::move(on_disk)});
  }
  std::vector<Word> words() const {
    std::lock_guard lock(mutex_);
    return words_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Word> words_;
};

struct Ground {
  Directory directory;
  std::shared_ptr<Told> told = std::make_shared<Told>();
  std::unique_ptr<platform::Files> disk = platform::make_disk_files();
  CheckpointedFiles files{*disk, told, "t1"};
};

}  // namespace

TEST_CASE("content, mode and absence are told before the change is made") {
  Ground ground;
  const std::string path = ground.directory / "file";
  const std::string bytes("\xff\0\n", 3);
  put(path, bytes);
  REQUIRE(::chmod(path.c_str(), 0750) == 0);
  REQUIRE(ground.files.replace(path, "new", Links::refuse));
  REQUIRE(ground.files.replace(ground.directory / "made/new", "", Links::refuse));
  const auto words = ground.told->words();
  REQUIRE(words.size() == 2);
  CHECK(words[0].tool_use_id == "t1");
  CHECK(words[0].before.path == path);
  CHECK(words[0].before.was == Was::kept);
  CHECK(words[0].before.content == bytes);
  CHECK(words[0].before.mode == 0750);
  CHECK(words[0].before.intended == platform::hash_content("new"));
  CHECK(words[0].on_disk == bytes);
  CHECK(words[1].before.was == Was::absent);
  CHECK(words[1].before.intended == platform::hash_content(""));
  CHECK(get(path) == "new");
  CHECK(fs::exists(ground.directory / "made/new"));
}

TEST_CASE("what changes nothing, or will fail, is not told") {
  Ground ground;
  put(ground.directory / "same", "x");
  fs::create_directory(ground.directory / "directory");
  fs::create_symlink("same", ground.directory / "link");
  CHECK(ground.files.replace(ground.directory / "same", "x", Links::refuse));
  CHECK(!ground.files.replace(ground.directory / "directory", "x", Links::refuse));
  CHECK(!ground.files.replace(ground.directory / "link", "x", Links::refuse));
  CHECK(ground.told->words().empty());
}

TEST_CASE("a followed link is told as the file it leads to") {
  Ground ground;
  put(ground.directory / "target", "old");
  fs::create_symlink("target", ground.directory / "link");
  REQUIRE(ground.files.replace(ground.directory / "link", "new", Links::follow));
  const auto words = ground.told->words();
  REQUIRE(words.size() == 1);
  CHECK(words[0].before.path == ground.directory / "target");
  CHECK(words[0].before.content == "old");
  CHECK(get(ground.directory / "target") == "new");
}

TEST_CASE("a file too large to be kept is told without its content, and changed") {
  Ground ground;
  const std::string path = ground.directory / "large";
  put(path, "");
  fs::resize_file(path, CheckpointedFiles::kLargestKept + 1);
  REQUIRE(ground.files.replace(path, "small", Links::refuse));
  const auto words = ground.told->words();
  REQUIRE(words.size() == 1);
  CHECK(words[0].before.was == Was::not_kept);
  CHECK(words[0].before.content.empty());
  CHECK(get(path) == "small");
}

TEST_CASE("in a run Write and Edit tell, each with its call") {
  Directory directory;
  AgentRig rig;
  rig.tools = tools::built_in_tools();
  rig.conversation.workspace = rig.conversation.cwd = directory.path;
  rig.conversation.mode = permission::Mode::accept_edits;
  const auto told = std::make_shared<Told>();
  rig.options.checkpoints = told;
  rig.start();
  rig.provider->reply(
      0, ReplyBuilder()
             .call("t1", "Write", Json{{"file_path", "f"}, {"content", "one\n"}}.dump())
             .call("t2", "Edit",
                   Json{{"file_path", "f"}, {"old_string", "one"}, {"new_string", "two"}}.dump())
             .call("t3", "Read", Json{{"file_path", "f"}}.dump())
             .stop(StopReason::tool_use)
             .end());
  rig.provider->wait_requests(2);
  rig.provider->reply(1, ReplyBuilder().text("done").stop(StopReason::end_turn).end());
  CHECK(rig.wait_end().ending == Ending::completed);
  CHECK(get(directory / "f") == "two\n");
  const auto words = told->words();
  REQUIRE(words.size() == 2);
  CHECK(words[0].tool_use_id == "t1");
  CHECK(words[0].before.was == Was::absent);
  CHECK(words[1].tool_use_id == "t2");
  CHECK(words[1].before.content == "one\n");
  CHECK(words[1].before.intended == platform::hash_content("two\n"));
}
