// Memory files: real files in a real directory, well and badly behaved.
#include "context/memory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>

#include "base/utf8.h"
#include "unit/context/temp_dir.h"

using namespace agentd;
using namespace agentd::context;
using context::test::TempDir;
using context::test::write;
namespace fs = std::filesystem;

namespace {

// A home and a repository beside each other, and a session in the repository's `src/app`.
struct Ground {
  Ground() {
    fs::create_directories(cwd());
    places = {home(), home() + "/.config", root(), cwd(), false};
  }
  std::string home() const { return dir / "home"; }
  std::string root() const { return dir / "repo"; }
  std::string cwd() const { return root() + "/src/app"; }

  Memory find() { return find_memory_files(places, *files, told); }
  Memory nested(const std::string& directory) {
    return nested_memory(directory, places, *files, told);
  }

  TempDir dir;
  MemoryPlaces places;
  ToldMemory told;
  std::unique_ptr<platform::Files> files = platform::make_disk_files();
};

std::vector<std::string> texts(const Memory& memory) {
  std::vector<std::string> all;
  for (const MemoryFile& file : memory.files) all.push_back(file.text);
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the user's files, then from the root down to the working directory, then MEMORY.md") {
  Ground ground;
  write(ground.home() + "/.claude/CLAUDE.md", "user claude");
  write(ground.home() + "/.config/agentd/AGENTS.md", "user agents");
  write(ground.root() + "/AGENTS.md", "root agents");
  write(ground.root() + "/CLAUDE.md", "root claude");
  write(ground.root() + "/.claude/CLAUDE.md", "root dot claude");
  write(ground.root() + "/CLAUDE.local.md", "root local");
  write(ground.root() + "/src/CLAUDE.md", "src");
  write(ground.cwd() + "/AGENTS.md", "app");
  write(ground.cwd() + "/below/AGENTS.md", "below");
  write(ground.dir / "AGENTS.md", "above the root");
  std::string name = ground.root();
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  write(ground.home() + "/.claude/projects/" + name + "/memory/MEMORY.md", "remembered");
  const Memory memory = ground.find();
  CHECK(texts(memory) == Texts{"user claude", "user agents", "root agents", "root claude",
                               "root dot claude", "root local", "src", "app", "remembered"});
  CHECK(memory.files[2].path == ground.root() + "/AGENTS.md");
  CHECK(memory.notes.empty());
  CHECK(ground.find().files.empty());  // each once per session
}

TEST_CASE("outside a repository only the working directory; nothing at all is no error") {
  Ground ground;
  CHECK(ground.find().files.empty());
  write(ground.root() + "/AGENTS.md", "root");
  write(ground.cwd() + "/AGENTS.md", "app");
  ground.places = {"", "", "", ground.cwd(), false};
  CHECK(texts(ground.find()) == Texts{"app"});
  ground.told.clear();
  ground.places.root = ground.dir / "elsewhere";
  CHECK(texts(ground.find()) == Texts{"app"});
}

TEST_CASE("links and copies in one directory are told once, different files both") {
  Ground ground;
  write(ground.root() + "/AGENTS.md", "same");
  fs::create_symlink("AGENTS.md", ground.root() + "/CLAUDE.md");
  write(ground.root() + "/src/AGENTS.md", "copied\n");
  write(ground.root() + "/src/CLAUDE.md", "copied");
  write(ground.cwd() + "/AGENTS.md", "one");
  write(ground.cwd() + "/CLAUDE.md", "two");
  const Memory memory = ground.find();
  CHECK(texts(memory) == Texts{"same", "copied\n", "one", "two"});
  CHECK(memory.notes.empty());
}

TEST_CASE("CLAUDE.md that only imports AGENTS.md adds nothing of it twice") {
  Ground ground;
  write(ground.root() + "/AGENTS.md", "rules");
  write(ground.root() + "/CLAUDE.md", "@AGENTS.md");
  CHECK(texts(ground.find()) == Texts{"rules", "@AGENTS.md"});
}

TEST_CASE("imports: beside the file, from home, in order, four files deep") {
  Ground ground;
  write(ground.root() + "/AGENTS.md", "a @docs/1.md then @docs/other.md and `@docs/not.md`");
  write(ground.root() + "/docs/not.md", "not");
  write(ground.root() + "/docs/other.md", "other");
  for (int i = 1; i <= 5; ++i) {
    write(ground.root() + "/docs/" + std::to_string(i) + ".md",
          std::to_string(i) + " @" + std::to_string(i + 1) + ".md");
  }
  const Memory memory = ground.find();
  CHECK(texts(memory) == Texts{"a @docs/1.md then @docs/other.md and `@docs/not.md`", "1 @2.md",
                               "2 @3.md", "3 @4.md", "4 @5.md", "other"});
  REQUIRE(memory.notes.size() == 1);
  CHECK(memory.notes[0].find("@5.md") != std::string::npos);
}

TEST_CASE("imports in a circle end, a missing one is a note") {
  Ground ground;
  write(ground.root() + "/AGENTS.md",
        "@a.md @AGENTS.md @gone.md @types/node\n<!-- @commented.md -->\n");
  write(ground.root() + "/a.md", "@b.md @a.md");
  write(ground.root() + "/b.md", "@AGENTS.md @a.md");
  const Memory memory = ground.find();
  CHECK(memory.files.size() == 3);
  REQUIRE(memory.notes.size() == 1);
  CHECK(memory.notes[0].find("@gone.md") != std::string::npos);
}

TEST_CASE("a project's files reach outside of the workspace only with trust, the user's may") {
  for (const bool trusted : {false, true}) {
    Ground ground;
    ground.places.trusted = trusted;
    write(ground.dir / "secret", "secret");
    write(ground.home() + "/key.md", "key");
    write(ground.root() + "/AGENTS.md",
          "@" + (ground.dir / "secret") + "/../secret @../secret @~/key.md @link.md");
    fs::create_symlink(ground.dir / "secret", ground.root() + "/link.md");
    fs::create_symlink(ground.dir / "secret", ground.root() + "/CLAUDE.md");
    write(ground.home() + "/.claude/CLAUDE.md", "@" + (ground.dir / "user.md"));
    write(ground.dir / "user.md", "user's import");
    const Memory memory = ground.find();
    CAPTURE(trusted);
    CHECK(memory.files.size() == (trusted ? 5 : 3));
    CHECK(memory.files[1].text == "user's import");
    if (!trusted) {
      const Texts all = texts(memory);
      CHECK(std::count(all.begin(), all.end(), "secret") == 0);
      CHECK(std::count(all.begin(), all.end(), "key") == 0);
      CHECK(memory.notes.size() >= 2);
    }
  }
}

TEST_CASE("large files are cut, and all together are bounded") {
  Ground ground;
  std::string large(1 << 20, 'x');
  large.replace(kMemoryFileBytes - 1, 3, "\xE4\xB8\xAD");
  write(ground.root() + "/AGENTS.md", large);
  for (int i = 0; i < 5; ++i) {
    write(ground.root() + "/" + std::to_string(i) + ".md",
          std::to_string(i) + std::string(kMemoryFileBytes, 'y'));
  }
  write(ground.root() + "/CLAUDE.md", "@0.md @1.md @2.md @3.md @4.md");
  const Memory memory = ground.find();
  CHECK(memory.files[0].truncated);
  CHECK(memory.files[0].text.size() == kMemoryFileBytes - 1);
  CHECK(memory_attachment(memory.files[0]).text.find("is cut") != std::string::npos);
  std::size_t total = 0;
  for (const MemoryFile& file : memory.files) total += file.text.size();
  CHECK(total <= kMemoryTotalBytes);
  CHECK(total > kMemoryTotalBytes / 2);
  CHECK(memory.notes.back().find("was not read") != std::string::npos);
}

TEST_CASE("MEMORY.md: its first 200 lines") {
  Ground ground;
  std::string name = ground.cwd();
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  std::string text;
  for (int i = 1; i <= 201; ++i) text += std::to_string(i) + "\n";
  const std::string path = ground.home() + "/.claude/projects/" + name + "/memory/MEMORY.md";
  write(path, text);
  ground.places.root.clear();
  const Memory memory = ground.find();
  REQUIRE(memory.files.size() == 1);
  CHECK(memory.files[0].truncated);
  CHECK(memory.files[0].text.ends_with("\n200\n"));
}

TEST_CASE("marks and line ends go, what is no text is refused with a note") {
  Ground ground;
  write(ground.root() + "/AGENTS.md", "\xEF\xBB\xBFone\r\ntwo\r\n");
  write(ground.root() + "/CLAUDE.md", std::string("a\0b", 3));
  write(ground.root() + "/CLAUDE.local.md",
        "\xFF\xFE"
        "a");
  write(ground.root() + "/src/AGENTS.md", " \r\n");
  fs::create_directories(ground.root() + "/src/CLAUDE.md");
  REQUIRE(::mkfifo((ground.cwd() + "/AGENTS.md").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", ground.cwd() + "/CLAUDE.md");
  const Memory memory = ground.find();
  CHECK(texts(memory) == Texts{"one\ntwo\n"});
  CHECK(memory.notes.size() == 4);
  CHECK(ground.find().notes.empty());  // noted once
}

TEST_CASE("nested files: those on the way to a file that was read, each once") {
  Ground ground;
  write(ground.root() + "/AGENTS.md", "root");
  write(ground.cwd() + "/a/CLAUDE.md", "a");
  write(ground.cwd() + "/a/b/AGENTS.md", "b");
  write(ground.cwd() + "/other/AGENTS.md", "other");
  write(ground.root() + "/lib/AGENTS.md", "lib");
  write(ground.dir / "AGENTS.md", "outside");
  CHECK(texts(ground.find()) == Texts{"root"});
  CHECK(ground.nested(ground.cwd()).files.empty());
  CHECK(texts(ground.nested(ground.cwd() + "/a")) == Texts{"a"});
  CHECK(texts(ground.nested(ground.cwd() + "/a/b/c")) == Texts{"b"});
  CHECK(ground.nested(ground.cwd() + "/a/b").files.empty());
  CHECK(texts(ground.nested(ground.root() + "/lib")) == Texts{"lib"});
  CHECK(ground.nested(ground.dir.path).files.empty());
  CHECK(ground.nested(ground.root() + "-beside").files.empty());
}

TEST_CASE("the attachment names the file") {
  const Attachment attachment = memory_attachment({"/a/AGENTS.md", "rules", false});
  CHECK(attachment.kind == AttachmentKind::memory);
  CHECK(attachment.title == "/a/AGENTS.md");
  CHECK(attachment.text == "rules");
}
