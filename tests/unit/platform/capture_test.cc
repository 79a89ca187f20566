#include "platform/capture.h"
#include "platform/temporary_directory.h"

#include "scratch.h"

using namespace agentd::platform;
using namespace agentd::platform::test;

TEST_CASE("head and tail at every limit and every cut give what the whole would") {
  std::string whole;
  for (int i = 0; i < 40; ++i) whole += static_cast<char>('a' + i % 26);
  for (std::size_t head = 0; head <= 12; head += 3) {
    for (std::size_t tail = 0; tail <= 12; tail += 4) {
      for (std::size_t length = 0; length <= whole.size(); ++length) {
        for (const std::size_t step : {1UL, 3UL, 7UL, 40UL}) {
          OutputCapture capture(head, tail);
          for (std::size_t at = 0; at < length; at += step) {
            capture.add(std::string_view(whole).substr(at, std::min(step, length - at)));
          }
          const CapturedOutput output = capture.take();
          CAPTURE(head);
          CAPTURE(tail);
          CAPTURE(length);
          CAPTURE(step);
          REQUIRE(output.total_bytes == length);
          if (length <= head + tail) {
            REQUIRE(output.head == whole.substr(0, length));
            REQUIRE(output.tail.empty());
            REQUIRE(output.skipped_bytes == 0);
          } else {
            REQUIRE(output.head == whole.substr(0, head));
            REQUIRE(output.tail == whole.substr(length - tail, tail));
            REQUIRE(output.skipped_bytes == length - head - tail);
          }
        }
      }
    }
  }
}

TEST_CASE("the whole goes to a private file, up to its limit") {
  std::string path;
  std::string directory;
  {
    TemporaryDirectory temporary;
    WholeOutput whole(10);
    REQUIRE(whole.start(*temporary.path() + "/output.txt"));
    whole.add("12345");
    whole.add("67890abc");
    whole.add("more");
    path = whole.path();
    CHECK(get(path) == "1234567890");
    directory = std::filesystem::path(path).parent_path().string();
    CHECK((std::filesystem::status(directory).permissions() & std::filesystem::perms::mask) ==
          std::filesystem::perms::owner_all);
  }
  CHECK(!std::filesystem::exists(directory));
}
