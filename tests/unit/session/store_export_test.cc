// Exports: the order of the lines, pages, and a writer meanwhile.
#include <doctest/doctest.h>

#include "base/utc_time.h"
#include "store_rig.h"
#include "wire/parse.h"

using namespace agentd;
using namespace agentd::session;

namespace {

std::vector<std::string> exported(SessionStore& store, const std::string& session) {
  std::vector<std::string> all;
  ExportPosition at;
  while (true) {
    const auto page = value_of(store.export_lines(session, at));
    if (page.empty()) return all;
    all.insert(all.end(), page.begin(), page.end());
  }
}

}  // namespace

TEST_CASE("an export tells all there is in the order it came about") {
  Directory directory;
  auto store = opened(directory);
  auto about = row("s1", 1764483153120);
  about.title = "\"Odd\"\n";
  about.lineage = "s0";
  done(store.add(about));
  const auto tell = [&](std::int64_t number, const std::string& method, std::int64_t log_size) {
    done(store.add_part("s1", {number, "r1", method, R"({"a":1})", log_size}));
  };
  tell(1, "agent/runStarted", 0);
  done(store.append("s1", 0, {message(Role::user, {TextBlock{"hi"}})}));
  tell(2, "agent/turnStarted", 1);
  done(store.append_change("s1", 0, {1, context::ThinkingStripped{}}));
  tell(3, "agent/runEnded", 1);
  done(store.append("s1", 1, {message(Role::assistant, {TextBlock{"ho"}})}));
  const auto lines = exported(store, "s1");
  REQUIRE(lines.size() == 7);
  CHECK(lines[0] ==
        R"({"type":"session","version":1,"id":"s1","title":"\"Odd\"\n","workspace":"/work",)"
        R"("created":"1970-01-01T00:00:00.001Z","updated":"2025-11-30T06:12:33.120Z",)"
        R"("lineage":"s0"})");
  CHECK(lines[1] ==
        R"({"type":"part","number":1,"runId":"r1","method":"agent/runStarted","params":{"a":1}})");
  CHECK(lines[2] ==
        R"({"type":"message","number":0,"role":"user","content":[{"type":"text","text":"hi"}]})");
  CHECK(lines[3].find("turnStarted") != std::string::npos);
  CHECK(lines[4] == R"({"type":"change","number":0,"change":{"type":"thinking_stripped"}})");
  CHECK(lines[5].find("runEnded") != std::string::npos);
  CHECK(lines[6].find("\"ho\"") != std::string::npos);
  for (const auto& line : lines) CHECK(wire::parse(line).has_value());
}

TEST_CASE("a session that is not there cannot be exported") {
  Directory directory;
  auto store = opened(directory);
  ExportPosition at;
  CHECK(code_of(store.export_lines("no", at)) == Code::not_found);
}

TEST_CASE("pages are bounded, skip and repeat nothing, and go on while another process writes") {
  Directory directory;
  auto store = opened(directory);
  auto other = opened(directory);
  done(store.add(row("s1")));
  const std::string big(10'000, 'x');
  const auto add = [&](SessionStore& by, int from, int to) {
    for (int i = from; i < to; ++i) {
      done(by.append("s1", static_cast<std::size_t>(i), {message(Role::user, {TextBlock{big}})}));
      done(by.add_part("s1", {i + 1, "r1", "agent/textDelta", "{}", i + 1}));
    }
  };
  add(store, 0, 200);
  ExportPosition at;
  std::vector<std::string> all;
  int pages = 0;
  while (true) {
    const auto page = value_of(store.export_lines("s1", at));
    if (page.empty()) break;
    std::size_t bytes = 0;
    for (const auto& line : page) bytes += line.size();
    CHECK(bytes < 300'000);
    all.insert(all.end(), page.begin(), page.end());
    if (++pages == 2) add(other, 200, 210);
  }
  CHECK(pages > 5);
  REQUIRE(all.size() == 1 + 2 * 210);
  for (std::size_t i = 0; i < 210; ++i) {
    const std::string number = std::to_string(i);
    CHECK(all[1 + 2 * i].starts_with(R"({"type":"message","number":)" + number + ","));
    CHECK(all[2 + 2 * i].starts_with(R"({"type":"part","number":)" + std::to_string(i + 1) + ","));
  }
}
