// The small pure parts: kinds of content, numbered lines, output of programs, names, paths, exits.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "base/utf8.h"
#include "tools/benign_exit.h"
#include "tools/folded_name.h"
#include "tools/numbered_lines.h"
#include "tools/output_text.h"
#include "tools/paths.h"
#include "tools/text_file.h"

using namespace agentd::tools;
using agentd::platform::CapturedOutput;

namespace {

CapturedOutput whole(const std::string& bytes) {
  CapturedOutput output;
  output.head = bytes;
  output.total_bytes = bytes.size();
  return output;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("kinds of content") {
  using namespace std::string_literals;
  CHECK(content_kind("") == ContentKind::text);
  CHECK(content_kind("plain\ttext\r\n\x1B[31mred\x1B[0m") == ContentKind::text);
  CHECK(content_kind("caf\xE9 latin-1") == ContentKind::text);
  CHECK(content_kind("a\0b"s) == ContentKind::binary);
  CHECK(content_kind("\xFF\xFEh\0i\0"s) == ContentKind::utf16);
  CHECK(content_kind("\xFE\xFF\0h"s) == ContentKind::utf16);
  CHECK(content_kind("%PDF-1.7\nall text") == ContentKind::binary);
  CHECK(content_kind("\x01\x02\x03\x04text") == ContentKind::binary);
  CHECK(describe_binary("\x7F"
                        "ELF\x02") == "an ELF program or library");
  CHECK(describe_binary("\xFF\xFEh") == "a UTF-16 text file");
  CHECK(describe_binary("what") == "a binary file");
}

TEST_CASE("line ends and byte order marks") {
  CHECK(line_ends("a") == LineEnds::none);
  CHECK(line_ends("a\nb\n") == LineEnds::lf);
  CHECK(line_ends("a\r\nb\r\n") == LineEnds::crlf);
  CHECK(line_ends("a\r\nb\n") == LineEnds::mixed);
  CHECK(line_ends("\n") == LineEnds::lf);
  CHECK(to_crlf("a\nb\r\nc") == "a\r\nb\r\nc");
  CHECK(without_bom("\xEF\xBB\xBFx") == "x");
  CHECK(without_bom("x") == "x");
}

TEST_CASE("lines are numbered") {
  const LineWindow window = number_lines("a\r\nb\n\nlast", 9, 100);
  CHECK(window.text == "     9\ta\n    10\tb\n    11\t\n    12\tlast\n");
  CHECK(window.first == 9);
  CHECK(window.last == 12);
  CHECK(window.reached_end);
  CHECK(number_lines("x\n", 1234567, 1).text == "1234567\tx\n");

  const LineWindow two = number_lines("a\nb\nc\n", 1, 2);
  CHECK(two.last == 2);
  CHECK_FALSE(two.reached_end);
  CHECK(number_lines("a\nb\n", 1, 2).reached_end);
}

TEST_CASE("long lines are cut at characters, long windows at bytes") {
  std::string line;
  for (int i = 0; i < 2001; ++i) line += "\xC3\xA9";
  const LineWindow cut = number_lines(line + "\nnext\n", 1, 10);
  CHECK(cut.lines_cut == 1);
  CHECK(says(cut.text, "[... 2 more bytes in this line]\n     2\tnext\n"));
  CHECK(agentd::utf8::valid(cut.text));
  CHECK(number_lines(line.substr(2), 1, 10).lines_cut == 0);

  std::string many;
  for (int i = 0; i < 4000; ++i) many += std::string(100, 'x') + "\n";
  const LineWindow full = number_lines(many, 1, 4000);
  CHECK(full.bytes_full);
  CHECK_FALSE(full.reached_end);
  CHECK(full.text.size() < kReadBytes + 2 * kReadLineCharacters);
}

TEST_CASE("counting and finding lines") {
  CHECK(count_lines("") == 0);
  CHECK(count_lines("a") == 1);
  CHECK(count_lines("a\n") == 1);
  CHECK(count_lines("a\n\n") == 2);
  CHECK(line_offset("a\nbc\nd", 0) == 0);
  CHECK(line_offset("a\nbc\nd", 2) == 5);
  CHECK(line_offset("a\nbc\nd", 3) == std::string::npos);
}

TEST_CASE("output that fits is shown as it is") {
  const OutputText text = output_text(whole("one\ntwo\n"), 100, 100);
  CHECK(text.text == "one\ntwo\n");
  CHECK_FALSE(text.left_out);
  CHECK(output_text(whole(""), 10, 10).text.empty());
}

TEST_CASE("too much output keeps head and tail and counts the rest") {
  std::string long_text;
  for (int i = 0; i < 1000; ++i) long_text += "line " + std::to_string(i) + "\n";
  const OutputText text = output_text(whole(long_text), 200, 300);
  CHECK(text.left_out);
  CHECK(text.text.size() < 600);
  CHECK(says(text.text, "line 0\n"));
  CHECK(says(text.text, "line 999\n"));
  CHECK(says(text.text, "left out"));
}

TEST_CASE("a character cut by our own limit is no fault of the program") {
  std::string accents;
  for (int i = 0; i < 400; ++i) accents += "\xC3\xA9";
  CapturedOutput output;
  output.head = accents.substr(0, 101);  // ends inside a character
  output.tail = accents.substr(1, 101);  // begins inside one
  output.total_bytes = accents.size();
  output.skipped_bytes = accents.size() - 202;
  const OutputText text = output_text(output, 101, 101);
  CHECK(text.text.find("\xEF\xBF\xBD") == std::string::npos);
  CHECK(agentd::utf8::valid(text.text));
  for (std::size_t limit = 1; limit < 40; ++limit) {
    CHECK(output_text(whole("aaaa\xF0\x9F\x98\x80" + accents), limit, limit)
              .text.find("\xEF\xBF\xBD") == std::string::npos);
  }
}

TEST_CASE("bytes that are no text are replaced and told, binaries are named") {
  using namespace std::string_literals;
  for (const std::string& bytes : {"\xFF\xFE\x80"s, "\xF0"s, "\xED\xA0\xBD"s, "a\0b"s}) {
    const OutputText text = output_text(whole(bytes), 100, 100);
    CHECK(agentd::utf8::valid(text.text));
    CHECK(says(text.text, "replaced"));
    CHECK_FALSE(text.binary);
    CHECK(text.text.find('\0') == std::string::npos);
  }
  std::string names;
  for (int i = 0; i < 50; ++i) names += "./some/name"s + '\0';
  CHECK_FALSE(output_text(whole(names), 10'000, 100).binary);
  std::string elf =
      "\x7F"
      "ELF"s;
  for (int i = 0; i < 200; ++i) elf += static_cast<char>(i * 37);
  const OutputText binary = output_text(whole(elf), 1000, 100);
  CHECK(binary.binary);
  CHECK(says(binary.text, "204 bytes"));
  CHECK(says(binary.text, "ELF"));
}

TEST_CASE("live output waits for the rest of a character") {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Utf8Stream stream;
    std::string out = stream.take(text.substr(0, cut));
    CHECK(agentd::utf8::valid(out));
    out += stream.take(text.substr(cut));
    out += stream.finish();
    CHECK(out == text);
  }
  Utf8Stream stream;
  std::string out;
  for (const char c : text) out += stream.take(std::string(1, c));
  CHECK(out == text);
  CHECK(stream.take("\xE2\x82").empty());
  CHECK(stream.finish() == "\xEF\xBF\xBD");
}

TEST_CASE("byte counts") {
  CHECK(byte_count(1) == "1 byte");
  CHECK(byte_count(1023) == "1023 bytes");
  CHECK(byte_count(1536) == "1.5 KB");
  CHECK(byte_count(5ull << 30) == "5.0 GB");
}

TEST_CASE("names that look the same fold to the same") {
  CHECK(folded_name("\xC3\xA9") == folded_name("e\xCC\x81"));  // é
  CHECK(folded_name("d\xE2\x80\x99\xC3\xA9"
                    "cran") == folded_name("d'e\xCC\x81"
                                           "cran"));
  CHECK(folded_name("10\xE2\x80\xAF"
                    "AM") == "10 AM");
  CHECK(folded_name("\xE1\xBB\x87") == folded_name("e\xCC\xA3\xCC\x82"));                     // ệ
  CHECK(folded_name("\xED\x95\x9C") == folded_name("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"));  // 한
  CHECK(folded_name("\xE3\x81\x8C") == folded_name("\xE3\x81\x8B\xE3\x82\x99"));              // が
  CHECK(folded_name("e") != folded_name("\xC3\xA9"));
  CHECK(folded_name("plain.txt") == "plain.txt");
  CHECK(folded_name("\xFF\xC3") == "\xFF\xC3");
}

TEST_CASE("paths become absolute by their text alone") {
  CHECK(absolute_path("a/b", "/ws") == "/ws/a/b");
  CHECK(absolute_path("./a//b/.", "/ws") == "/ws/a/b");
  CHECK(absolute_path("/a/../b", "/ws") == "/a/../b");
  CHECK(absolute_path("", "/ws") == "/ws");
  CHECK(absolute_path("/", "/ws") == "/");
  CHECK(absolute_path("~other/x", "/ws") == "/ws/~other/x");
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    CHECK(absolute_path("~/x", "/ws") == absolute_path(std::string(home) + "/x", "/"));
  }
  CHECK(shown_path("/ws/a/b", "/ws") == "a/b");
  CHECK(shown_path("/etc/b", "/ws") == "/etc/b");
  CHECK(shown_path("/a", "/") == "a");
  CHECK(parent_directory("/a") == "/");
  CHECK(file_name("/a/b.c") == "b.c");
}

TEST_CASE("exit code 1 that is an answer") {
  for (const char* command :
       {"grep x f", "grep -r 'a;b' .", "cat f | grep x", "cd sub && grep x f", "ls; grep x f",
        "grep x f  # comment; false", "LC_ALL=C /usr/bin/grep x f", "diff a b", "test -f x",
        "[ -f x ]", "find / -name y 2>/dev/null", "git diff --exit-code", "git grep foo",
        "rg \"foo|bar\" src", "rg x 2>&1", "echo hi\ngrep x f\n", "a || grep x f"}) {
    CAPTURE(command);
    CHECK(benign_exit(command, 1).has_value());
  }
}

TEST_CASE("exit codes that are failures") {
  for (const char* command :
       {"false", "make && grep x f", "grep x f | wc -l", "grep x f && false", "grep x f; false",
        "set -e; grep x f", "set -o pipefail; false | grep x", "(grep x f)", "! grep x f",
        "grep x $(false)", "grep \"`x`\" f", "grep x f &", "grep 'x", "git commit -m x",
        "cat <<E\ngrep x\nE", "grepper x", "", "exit 1", "if grep x f; then false; fi"}) {
    CAPTURE(command);
    CHECK_FALSE(benign_exit(command, 1).has_value());
  }
  CHECK_FALSE(benign_exit("grep x f", 2).has_value());
  CHECK_FALSE(benign_exit("grep x f", 0).has_value());
}
