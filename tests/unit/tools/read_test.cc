#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/utf8.h"
#include "unit/tools/workspace.h"

using namespace agentd;
using namespace agentd::tools;

namespace {

std::string numbered_file(int lines) {
  std::string text;
  for (int i = 1; i <= lines; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a file comes with line numbers, and without notes if it is whole") {
  Workspace ws;
  ws.put("a.txt", "one\ntwo\n");
  const Outcome outcome = ws.call("Read", {{"file_path", ws.path("a.txt")}});
  CHECK_FALSE(outcome.is_error);
  CHECK(text_of(outcome) == "     1\tone\n     2\ttwo\n");
  CHECK(outcome.details["totalLines"] == 2);
  CHECK(outcome.details["partial"] == false);
  CHECK(text_of(ws.call("Read", {{"file_path", "a.txt"}})) == text_of(outcome));
}

TEST_CASE("ranges say what was left out and how to go on") {
  Workspace ws;
  ws.put("long.txt", numbered_file(2500));
  const Outcome start = ws.call("Read", {{"file_path", "long.txt"}});
  CHECK(says(start, "  2000\tline 2000\n"));
  CHECK_FALSE(says(start, "line 2001"));
  CHECK(says(start, "(lines 1 to 2000 of 2500 are shown; to go on, call Read with offset 2001)"));

  const Outcome rest = ws.call("Read", {{"file_path", "long.txt"}, {"offset", "2001"}});
  CHECK(says(rest, "  2001\tline 2001\n"));
  CHECK(says(rest, "(lines 2001 to 2500 of 2500 are shown)"));

  const Outcome middle = ws.call("Read", {{"file_path", "long.txt"}, {"offset", 7}, {"limit", 2}});
  CHECK(text_of(middle) ==
        "     7\tline 7\n     8\tline 8\n\n"
        "(lines 7 to 8 of 2500 are shown; to go on, call Read with offset 9)");

  const Outcome past = ws.call("Read", {{"file_path", "long.txt"}, {"offset", 9999}});
  CHECK_FALSE(past.is_error);
  CHECK(says(past, "2500 lines"));
  CHECK(
      says(ws.call("Read", {{"file_path", "long.txt"}, {"offset", 0}, {"limit", 1}}), "line 1\n"));
}

TEST_CASE("byte cap and long lines are told") {
  Workspace ws;
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += std::string(1000, 'w') + "\n";
  ws.put("wide.txt", wide);
  const Outcome capped = ws.call("Read", {{"file_path", "wide.txt"}});
  CHECK(says(capped, "as much as one result may hold"));
  CHECK(text_of(capped).size() < 270'000);

  ws.put("line.txt", std::string(5000, 'x') + "\nnext\n");
  const Outcome cut = ws.call("Read", {{"file_path", "line.txt"}});
  CHECK(says(cut, "[... 3000 more bytes in this line]"));
  CHECK(says(cut, "longer than 2000 characters"));
}

TEST_CASE("files too large to be held are shown by ranges") {
  Workspace ws;
  std::string big;
  for (int i = 1; big.size() < (17u << 20); ++i) big += "row " + std::to_string(i) + "\n";
  ws.put("big.log", big);
  const Outcome first = ws.call("Read", {{"file_path", "big.log"}, {"limit", 2}});
  CHECK(says(first, "     1\trow 1\n     2\trow 2\n"));
  CHECK(says(first, "call Read with offset 3"));
  CHECK(says(first, "too large for Edit"));
  const Outcome far =
      ws.call("Read", {{"file_path", "big.log"}, {"offset", 1000000}, {"limit", 1}});
  CHECK(says(far, "1000000\trow 1000000\n"));
  CHECK(says(ws.call("Read", {{"file_path", "big.log"}, {"offset", 99000000}}), "nothing stands"));
  CHECK(ws.call("Edit", {{"file_path", "big.log"}, {"old_string", "row 1\n"}, {"new_string", "x"}})
            .is_error);
  CHECK(says(ws.call("Write", {{"file_path", "big.log"}, {"content", "x"}}), "changed with Bash"));
}

TEST_CASE("empty files, byte order marks, CRLF, bytes that are not UTF-8") {
  Workspace ws;
  ws.put("empty.txt", "");
  const Outcome empty = ws.call("Read", {{"file_path", "empty.txt"}});
  CHECK_FALSE(empty.is_error);
  CHECK(says(empty, "empty"));
  ws.put("bom.txt", "\xEF\xBB\xBFhello\r\nthere\r\n");
  CHECK(text_of(ws.call("Read", {{"file_path", "bom.txt"}})) == "     1\thello\n     2\tthere\n");
  ws.put("latin.txt", "caf\xE9\n");
  const Outcome latin = ws.call("Read", {{"file_path", "latin.txt"}});
  CHECK(utf8::valid(text_of(latin)));
  CHECK(says(latin, "not UTF-8"));
}

TEST_CASE("what is no text is an error that names it") {
  Workspace ws;
  ws.put("utf16.txt", std::string("\xFF\xFEh\0i\0", 6));
  CHECK(says(ws.call("Read", {{"file_path", "utf16.txt"}}), "UTF-16"));
  ws.put("a.pdf", "%PDF-1.7 ...");
  const Outcome pdf = ws.call("Read", {{"file_path", "a.pdf"}});
  CHECK(pdf.is_error);
  CHECK(says(pdf, "PDF"));
}

TEST_CASE("only regular files are opened") {
  Workspace ws;
  REQUIRE(::mkfifo(ws.path("pipe").c_str(), 0600) == 0);
  CHECK(says(ws.call("Read", {{"file_path", "pipe"}}), "named pipe"));
  CHECK(says(ws.call("Read", {{"file_path", "/dev/zero"}}), "device"));
  CHECK(says(ws.call("Read", {{"file_path", "."}}), "is a directory"));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(fd >= 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ws.path("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  CHECK(says(ws.call("Read", {{"file_path", "socket"}}), "socket"));
  ::close(fd);
  for (const char* name : {"pipe", "/dev/zero", ".", "socket"}) {
    CHECK(ws.call("Read", {{"file_path", name}}).is_error);
  }
}

TEST_CASE("a missing file gets suggestions") {
  Workspace ws;
  ws.put("src/parser.cc", "x");
  ws.put("src/other.txt", "x");
  const Outcome typo = ws.call("Read", {{"file_path", "src/praser.cc"}});
  CHECK(typo.is_error);
  CHECK(says(typo, "Did you mean " + ws.path("src/parser.cc") + "?"));
  CHECK(says(ws.call("Read", {{"file_path", "src/parser.h"}}), "src/parser.cc"));
  CHECK(says(ws.call("Read", {{"file_path", "scr/parser.cc"}}), "There is no " + ws.path("scr")));
  CHECK(says(ws.call("Read", {{"file_path", "zzz"}}), "The current directory is " + ws.root()));
}

TEST_CASE("a name that only looks different is found and told") {
  Workspace ws;
  const std::string real =
      "Capture d\xE2\x80\x99"
      "e\xCC\x81"
      "cran.txt";  // U+2019, NFD
  ws.put(real, "inside\n");
  const Outcome outcome = ws.call("Read", {{"file_path",
                                            "Capture d'\xC3\xA9"
                                            "cran.txt"}});
  CHECK_FALSE(outcome.is_error);
  CHECK(says(outcome, "inside"));
  CHECK(says(outcome, real));
  // An edit goes to no other name than the one that was judged.
  CHECK(ws.call("Edit", {{"file_path",
                          "Capture d'\xC3\xA9"
                          "cran.txt"},
                         {"old_string", "inside"},
                         {"new_string", "x"}})
            .is_error);
  CHECK(ws.get(real) == "inside\n");
}

TEST_CASE("a look-alike that is a link is not followed") {
  Workspace ws;
  REQUIRE(::symlink("/etc/passwd", ws.path("d\xE2\x80\x99x").c_str()) == 0);
  CHECK(ws.call("Read", {{"file_path", "d'x"}}).is_error);
}

TEST_CASE("images come as image blocks, by content") {
  Workspace ws;
  const std::string png =
      std::string("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x05\0\0\0\x04", 24) + "rest";
  ws.put("picture.txt", png);
  const Outcome outcome = ws.call("Read", {{"file_path", "picture.txt"}});
  CHECK_FALSE(outcome.is_error);
  REQUIRE(outcome.content.size() == 1);
  const auto* image = std::get_if<ImageBlock>(&outcome.content[0]);
  REQUIRE(image != nullptr);
  CHECK(image->media_type == "image/png");
  CHECK(outcome.details["width"] == 5);
  ws.put("damaged.png", "\x89PNG\r\n\x1A\n");
  CHECK(says(ws.call("Read", {{"file_path", "damaged.png"}}), "damaged"));
}

TEST_CASE("what a read would touch") {
  Workspace ws;
  const Access access = ws.tool("Read").access({{"file_path", "a/../b"}}, "/ws");
  CHECK(access.reads == std::vector<std::string>{"/ws/a/../b"});
  CHECK(access.writes.empty());
  CHECK_FALSE(access.command);
}
