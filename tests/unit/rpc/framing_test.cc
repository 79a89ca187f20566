// Both framings at every split point, and what happens to bytes that are no frames.
#include "rpc/framing.h"

#include <doctest/doctest.h>

#include <vector>

using namespace agentd::rpc;

namespace {

struct Heard {
  std::vector<std::string> messages;
  std::vector<Frame> faults;
};

void collect(FrameReader& reader, Heard& heard) {
  while (auto frame = reader.next()) {
    if (frame->kind == Frame::Kind::message) {
      heard.messages.push_back(frame->text);
    } else {
      heard.faults.push_back(*frame);
    }
  }
}

Heard hear(const std::vector<std::string_view>& pieces, Framing framing = Framing::automatic,
           std::size_t limit = kMaxMessageBytes) {
  FrameReader reader(framing, limit);
  Heard heard;
  for (const auto piece : pieces) {
    reader.feed(piece);
    collect(reader, heard);
  }
  reader.finish();
  collect(reader, heard);
  return heard;
}

std::vector<std::string_view> bytes_of(std::string_view text) {
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
  return bytes;
}

// Feeds `text` whole, byte by byte and cut in two at every place; each must give the same.
Heard hear_every_way(std::string_view text, Framing framing = Framing::automatic,
                     std::size_t limit = kMaxMessageBytes) {
  const Heard whole = hear({text}, framing, limit);
  const auto check_same = [&](const Heard& other) {
    CHECK(other.messages == whole.messages);
    CHECK(other.faults.size() == whole.faults.size());
  };
  check_same(hear(bytes_of(text), framing, limit));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    check_same(hear({text.substr(0, cut), text.substr(cut)}, framing, limit));
  }
  return whole;
}

using Messages = std::vector<std::string>;

std::string framed(std::string_view body) {
  std::string out;
  append_frame(out, Framing::headers, body);
  return out;
}

}  // namespace

TEST_CASE("frames with Content-Length in bytes") {
  const std::string chinese = "{\"t\":\"你好—😀\"}";
  const std::string text = framed("{\"a\":1}") + framed(chinese) + framed("{}");
  const Heard heard = hear_every_way(text);
  CHECK(heard.messages == Messages{"{\"a\":1}", chinese, "{}"});
  CHECK(heard.faults.empty());
}

TEST_CASE("headers in any case, with others beside them, ended by LF alone") {
  const Heard heard = hear_every_way(
      "content-length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n{}"
      "CONTENT-LENGTH:3\nX-Content-Length: 999\n\n{ }"
      "Content-Type: application/json\r\nContent-Length : 2 \r\n\r\n[]");
  CHECK(heard.messages == Messages{"{}", "{ }", "[]"});
  CHECK(heard.faults.empty());
}

TEST_CASE("of two Content-Length headers the last counts") {
  const Heard heard = hear_every_way("Content-Length: 50\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(heard.messages == Messages{"{}"});
}

TEST_CASE("line ends and blanks between frames are nothing") {
  const Heard heard = hear_every_way("\r\n\r\n" + framed("{}") + "\r\n\n" + framed("[]"));
  CHECK(heard.messages == Messages{"{}", "[]"});
  CHECK(heard.faults.empty());
}

TEST_CASE("a header that is no good is told once, and the next frame is found") {
  for (const char* bad :
       {"Content-Length: -1\r\n\r\n", "Content-Length: abc\r\n\r\n", "Content-Length:\r\n\r\n",
        "garbage\r\n\r\n", "X-Other: 1\r\n\r\n", "garbage\r\n\r\n{\"more\": 1}\r\n\r\n",
        "Content-Length: 2\r\nContent-Type: text/x; charset=latin1\r\n\r\n{}"}) {
    CAPTURE(bad);
    const Heard heard = hear_every_way(bad + framed("{\"ok\":1}"), Framing::headers);
    CHECK(heard.messages == Messages{"{\"ok\":1}"});
    REQUIRE(heard.faults.size() == 1);
    CHECK(heard.faults[0].kind == Frame::Kind::malformed);
  }
}

TEST_CASE("garbage before a good header does not hurt it") {
  const Heard heard = hear_every_way("some stray print\n" + framed("{}"));
  CHECK(heard.messages == Messages{"{}"});
  CHECK(heard.faults.empty());
}

TEST_CASE("a length told too short: the rest of the body is skipped") {
  const Heard heard = hear_every_way(
      "Content-Length: 4\r\n\r\n{\"a\":\"b\"}" + framed("{\"ok\":1}"), Framing::headers);
  CHECK(heard.messages == Messages{"{\"a\"", "{\"ok\":1}"});
}

TEST_CASE("a length told too long: the next frame is lost, the one after is not") {
  const Heard heard = hear_every_way("Content-Length: 9\r\n\r\n{\"a\":1}" + framed("{\"b\":2}") +
                                     framed("{\"c\":3}"));
  REQUIRE(heard.messages.size() == 2);
  CHECK(heard.messages[1] == "{\"c\":3}");
}

TEST_CASE("a message beyond the limit is refused and its body skipped") {
  const std::string body = "{\"t\":\"" + std::string(100, 'x') + "\",\r\n\"u\":\r\n\r\n2}";
  const Heard heard = hear_every_way(framed(body) + framed("{\"ok\":1}"), Framing::headers, 64);
  CHECK(heard.messages == Messages{"{\"ok\":1}"});
  REQUIRE(heard.faults.size() == 1);
  CHECK(heard.faults[0].kind == Frame::Kind::too_large);
}

TEST_CASE("a length that no body follows does not make us deaf") {
  for (const char* length : {"99999999999", "99999999999999999999999999"}) {
    const Heard heard = hear_every_way("Content-Length: " + std::string(length) + "\r\n\r\n" +
                                       framed("{\"ok\":1}"));
    CHECK(heard.messages == Messages{"{\"ok\":1}"});
    REQUIRE(heard.faults.size() == 1);
    CHECK(heard.faults[0].kind == Frame::Kind::too_large);
  }
}

TEST_CASE("a header line that never ends is bounded") {
  FrameReader reader(Framing::headers);
  Heard heard;
  for (int i = 0; i < 200; ++i) {
    reader.feed(std::string(10'000, 'z'));
    collect(reader, heard);
  }
  reader.feed("\r\n\r\n" + framed("{}"));
  collect(reader, heard);
  CHECK(heard.messages == Messages{"{}"});
  CHECK(heard.faults.size() == 1);
}

TEST_CASE("a body of 20 MB") {
  const std::string body(20 * 1024 * 1024, ' ');
  const std::string text = framed(body);
  FrameReader reader(Framing::headers);
  Heard heard;
  for (std::size_t at = 0; at < text.size(); at += 65536) {
    reader.feed(std::string_view(text).substr(at, 65536));
    collect(reader, heard);
  }
  REQUIRE(heard.messages.size() == 1);
  CHECK(heard.messages[0].size() == body.size());
}

TEST_CASE("half a frame at the end is dropped") {
  const Heard heard = hear_every_way(framed("{}") + "Content-Length: 10\r\n\r\n{\"a\"");
  CHECK(heard.messages == Messages{"{}"});
}

TEST_CASE("one message per line") {
  const Heard heard = hear_every_way("\xEF\xBB\xBF{\"a\":1}\n\n  \r\n{\"b\":\"你\"}\r\n{\"c\":3}");
  CHECK(heard.messages == Messages{"{\"a\":1}", "{\"b\":\"你\"}", "{\"c\":3}"});
  CHECK(heard.faults.empty());
}

TEST_CASE("a line beyond the limit is refused, the next one heard") {
  const std::string text = "{\"a\":\"" + std::string(100, 'x') + "\"}\n{\"ok\":1}\n";
  const Heard heard = hear_every_way(text, Framing::lines, 64);
  CHECK(heard.messages == Messages{"{\"ok\":1}"});
  REQUIRE(heard.faults.size() == 1);
  CHECK(heard.faults[0].kind == Frame::Kind::too_large);
}

TEST_CASE("the first byte decides, unless it was decided for us") {
  const auto decided = [](Framing framing, std::string_view text) {
    FrameReader reader(framing);
    reader.feed(text);
    (void)reader.next();
    return reader.framing();
  };
  CHECK(decided(Framing::automatic, "") == Framing::automatic);
  CHECK(decided(Framing::automatic, " \r\n") == Framing::automatic);
  CHECK(decided(Framing::automatic, " {") == Framing::lines);
  CHECK(decided(Framing::automatic, "[") == Framing::lines);
  CHECK(decided(Framing::automatic, "C") == Framing::headers);
  CHECK(decided(Framing::headers, "{") == Framing::headers);
  CHECK(decided(Framing::lines, "C") == Framing::lines);
}

TEST_CASE("writing frames") {
  std::string out;
  append_frame(out, Framing::headers, "{\"t\":\"你\"}");
  CHECK(out == "Content-Length: 11\r\n\r\n{\"t\":\"你\"}");
  out.clear();
  append_frame(out, Framing::lines, "{}");
  CHECK(out == "{}\n");
}
