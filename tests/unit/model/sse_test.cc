// SseReader against every cut, and against the WHATWG tests where they lie beside the source.
#include "model/sse.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "support/recordings.h"

using agentd::model::SseReader;

namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events read(const std::vector<std::string_view>& chunks, bool finish = true) {
  SseReader reader;
  Events events;
  const auto keep = [&](std::string_view name, std::string_view data) {
    events.emplace_back(std::string(name), std::string(data));
  };
  for (const std::string_view chunk : chunks) {
    // A copy of its own that dies at once: a view kept too long shows under ASan.
    const std::string own(chunk);
    REQUIRE(reader.feed(own, keep));
  }
  if (finish) REQUIRE(reader.finish(keep));
  return events;
}

std::vector<std::string_view> bytes_of(std::string_view text) {
  std::vector<std::string_view> chunks;
  for (std::size_t i = 0; i < text.size(); ++i) chunks.push_back(text.substr(i, 1));
  return chunks;
}

std::string base64_decoded(const std::string& text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) continue;
    bits = (bits << 6) | static_cast<unsigned>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 0xFF));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("one stream, every split point, the same events") {
  const std::string stream =
      "\xEF\xBB\xBF: comment\r\nevent: a\r\ndata: one\r\ndata:two\r\n\r\n"
      "event: b\rdata:  \xE4\xBD\xA0\xE5\xA5\xBD\r\r"
      "id: 7\nretry: 5\n\n"
      "event: nothing\n\n"
      "data\n\n"
      "data: last";
  const Events expected = {
      {"a", "one\ntwo"}, {"b", " \xE4\xBD\xA0\xE5\xA5\xBD"}, {"", ""}, {"", "last"}};
  CHECK(read({stream}) == expected);
  CHECK(read(bytes_of(stream)) == expected);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    const std::string_view text = stream;
    CAPTURE(cut);
    CHECK(read({text.substr(0, cut), text.substr(cut)}) == expected);
  }
}

TEST_CASE("an event cut off by the end of the body is delivered only by finish") {
  CHECK(read({"data: x\n"}, false).empty());
  CHECK(read({"data: x\n"}) == Events{{"", "x"}});
  CHECK(read({"event: y\n"}).empty());
}

TEST_CASE("an event above the limit stops the reader, one line or many") {
  const auto ignore = [](std::string_view, std::string_view) {};
  SUBCASE("one line without an end") {
    SseReader reader(100);
    CHECK(reader.feed("data: " + std::string(60, 'x'), ignore));
    CHECK_FALSE(reader.feed(std::string(60, 'x'), ignore));
    CHECK_FALSE(reader.finish(ignore));
  }
  SUBCASE("many lines") {
    SseReader reader(100);
    bool ok = true;
    for (int i = 0; i < 60 && ok; ++i) ok = reader.feed("data: xy\n", ignore);
    CHECK_FALSE(ok);
  }
}

TEST_CASE("the WHATWG event stream tests" *
          doctest::skip(!agentd::test::recordings_present("wpt-sse"))) {
  const std::filesystem::path folder = agentd::test::recordings() / "wpt-sse";
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    const nlohmann::json test = nlohmann::json::parse(file);
    // Refusing a content type is the provider's business, not the reader's.
    if (!test["accept"].get<bool>()) continue;
    ++seen;
    const std::string name = test["name"];
    CAPTURE(name);
    const std::string input = base64_decoded(test["input_base64"]);
    Events expected;
    for (const auto& event : test["expected_events"]) {
      const std::string type = event["event"];
      expected.emplace_back(type == "message" ? "" : type, event["data"]);
    }
    CHECK(read({input}, false) == expected);
    CHECK(read(bytes_of(input), false) == expected);
  }
  CHECK(seen >= 20);
}
