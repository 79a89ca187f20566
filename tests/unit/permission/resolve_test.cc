// resolve() on the real disk, and what judge() makes of it: no link and no `..` leads out unasked.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "permission/permission.h"

using agentd::Access;
using namespace agentd::permission;

namespace {

class Ground {
 public:
  Ground() {
    std::string name = "/tmp/agentd-permission-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top_ = std::filesystem::canonical(name).string();
    std::filesystem::create_directories(ws() + "/sub");
    std::filesystem::create_directory(top_ + "/ws-evil");
  }
  ~Ground() { std::filesystem::remove_all(top_); }

  std::string ws() const { return top_ + "/ws"; }
  const std::string& top() const { return top_; }
  void link(const std::string& target, const std::string& name) const {
    REQUIRE(::symlink(target.c_str(), (ws() + "/" + name).c_str()) == 0);
  }

  Verdict write(const std::string& path) {
    Access access;
    access.writes = {path};
    return judged(access);
  }
  Verdict read(const std::string& path) {
    Access access;
    access.reads = {path};
    return judged(access);
  }

 private:
  Verdict judged(const Access& access) {
    const auto resolved = resolve(access, *files_);
    REQUIRE(resolved);
    return judge(Mode::accept_edits, *resolved, ws(), {});
  }

  std::string top_;
  std::unique_ptr<agentd::platform::Files> files_ = agentd::platform::make_disk_files();
};

}  // namespace

TEST_CASE("paths inside are free, also through links that stay inside") {
  Ground ground;
  CHECK(ground.write(ground.ws() + "/new/file").decision == Decision::allow);
  CHECK(ground.write(ground.ws() + "/sub/../file").decision == Decision::allow);
  ground.link("sub", "inner");
  CHECK(ground.write(ground.ws() + "/inner/file").decision == Decision::allow);
  CHECK(ground.read(ground.ws()).decision == Decision::allow);
}

TEST_CASE("links and dots that lead out are asked about, with the real target") {
  Ground ground;
  ground.link("/etc", "e");
  ground.link(ground.top() + "/not-there-yet", "dangling");
  ground.link("../ws-evil", "relative");
  const Verdict through = ground.write(ground.ws() + "/e/x");
  CHECK(through.decision == Decision::ask);
  CHECK(through.reason.find("/etc/x") != std::string::npos);
  CHECK(ground.write(ground.ws() + "/dangling").decision == Decision::ask);
  CHECK(ground.write(ground.ws() + "/dangling").reason.find("not-there-yet") != std::string::npos);
  CHECK(ground.write(ground.ws() + "/relative/x").decision == Decision::ask);
  CHECK(ground.write(ground.ws() + "/../ws-evil/x").decision == Decision::ask);
  CHECK(ground.read(ground.ws() + "/e/passwd").decision == Decision::ask);
  CHECK(ground.read(ground.ws() + "/..").decision == Decision::ask);
}

TEST_CASE("a link to a protected place is protected") {
  Ground ground;
  std::filesystem::create_directories(ground.ws() + "/.git/hooks");
  ground.link(".git/hooks", "innocent");
  CHECK(ground.write(ground.ws() + "/innocent/pre-commit").decision == Decision::ask);
}
