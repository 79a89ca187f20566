// What is piped into `agentd run`.
#include "server/piped_input.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "platform/fd.h"

using namespace agentd;
using namespace agentd::server;
using namespace std::chrono_literals;

namespace {

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    read = platform::Fd(ends[0]);
    write = platform::Fd(ends[1]);
  }
  platform::Fd read;
  platform::Fd write;
};

}  // namespace

TEST_CASE("a pipe is read to its end, and what is not UTF-8 replaced") {
  Pipe pipe;
  std::thread writer([&] {
    const std::string text = "line\n\xff" + std::string(200'000, 'x');
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t n = write(pipe.write.get(), rest.data(), rest.size());
      if (n <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    pipe.write.reset();
  });
  const auto text = read_piped_input(pipe.read.get(), std::nullopt);
  writer.join();
  REQUIRE(text);
  REQUIRE(*text);
  CHECK(**text == "line\n\xEF\xBF\xBD" + std::string(200'000, 'x'));
}

TEST_CASE("a pipe that nobody writes to is not waited for without end") {
  Pipe pipe;
  const auto text = read_piped_input(pipe.read.get(), 10ms);
  REQUIRE(text);
  CHECK(!*text);
}

TEST_CASE("an empty pipe and a device hold nothing") {
  Pipe pipe;
  pipe.write.reset();
  const auto empty = read_piped_input(pipe.read.get(), 10s);
  REQUIRE(empty);
  CHECK((!*empty || (*empty)->empty()));
  platform::Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto device = read_piped_input(null.get(), std::nullopt);
  REQUIRE(device);
  CHECK(!*device);
}

TEST_CASE("more than 10 MB is refused") {
  char name[] = "/tmp/agentd-test-XXXXXX";
  platform::Fd file(mkstemp(name));
  REQUIRE(file.valid());
  unlink(name);
  REQUIRE(ftruncate(file.get(), kMaxPipedInput + 1) == 0);
  const auto text = read_piped_input(file.get(), std::nullopt);
  REQUIRE(!text);
  CHECK(text.error().code == Code::too_large);
}
