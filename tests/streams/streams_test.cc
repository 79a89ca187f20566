// Every stream case from a real HTTP server on the loopback, through the real client and the
// provider of its API: whole, byte by byte, with random cuts. And, where they lie beside the
// source, the recorded streams of the Messages API (those of Chat Completions:
// chat_recordings_test.cc).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "support/model_server.h"
#include "support/recordings.h"
#include "support/stream_case.h"
#include "support/stream_rig.h"

using namespace agentd;
using namespace agentd::test;
namespace fs = std::filesystem;

namespace {

void check(const StreamCase& one, const AssembledReply& got, const std::string& how) {
  for (const std::string& difference : differences(one, got)) {
    FAIL_CHECK(one.name << ", " << how << ": " << difference << "\n" << got.summary());
  }
}

// What a recording should come to, in one text: prose, thinking, and calls whose input is whole.
std::string essence(const Json& expected) {
  std::string out = "text " + expected.at("text").get<std::string>() + "\nthinking " +
                    expected.at("reasoning").get<std::string>() + "\n";
  for (const Json& call : expected.at("tool_calls")) {
    const Json input = call.contains("arguments") ? call.at("arguments") : Json::object();
    if (input.is_null()) continue;  // cut: nothing that could run
    out += "call " + call.at("id").get<std::string>() + " " + call.at("name").get<std::string>() +
           " " + input.dump() + "\n";
  }
  return out;
}

std::string essence(const AssembledReply& reply) {
  std::string text;
  std::string thinking;
  std::string calls;
  for (const AssembledBlock& block : reply.blocks) {
    if (block.kind == model::BlockKind::text) text += block.text;
    if (block.kind == model::BlockKind::thinking) thinking += block.text;
    if (block.kind != model::BlockKind::tool_use || !block.ended) continue;
    const Json input =
        block.text.empty() ? Json::object() : Json::parse(block.text, nullptr, false);
    if (!input.is_object()) continue;
    calls += "call " + block.tool_use_id + " " + block.tool_name + " " + input.dump() + "\n";
  }
  return "text " + text + "\nthinking " + thinking + "\n" + calls;
}

std::vector<fs::path> recorded(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("anthropic-messages") && name.ends_with(ending)) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string without_ending(const fs::path& path, const std::string& ending) {
  const std::string text = path.string();
  return text.substr(0, text.size() - ending.size());
}

}  // namespace

TEST_CASE("the stream cases over HTTP") {
  const auto cases = load_stream_cases(std::string(AGENTD_SOURCE_DIR) + "/tests/streams/cases", "");
  REQUIRE(cases.size() == 51 + 34);
  for (const StreamCase& one : cases) {
    StreamRig rig(one);
    const bool silent = one.end == "stall";
    check(one, rig.play(reply_for(one), silent), "as told");
    ServerReply bytes = reply_for(one);
    check(one, rig.play(bytes.byte_by_byte(), silent), "byte by byte");
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      ServerReply cut = reply_for(one);
      check(one, rig.play(cut.random_cuts(seed), silent), "cut with seed " + std::to_string(seed));
    }
  }
}

TEST_CASE("recorded streams" * doctest::skip(!recordings_present("streams"))) {
  StreamRig rig(StreamApi::messages);
  int seen = 0;
  for (const fs::path& path : recorded(recordings() / "streams", ".expected.json")) {
    ++seen;
    const std::string name = path.filename().string();
    CAPTURE(name);
    const Json expected = Json::parse(read_file(path.string())).at("assembled");
    ServerReply reply =
        ServerReply::stream(read_file(without_ending(path, ".expected.json") + ".sse"));
    for (const std::uint32_t seed : {0u, 1u}) {
      if (seed > 0) reply.random_cuts(seed);
      const AssembledReply got = rig.play(reply, false);
      CHECK(got.broken.empty());
      if (got.failure) FAIL_CHECK(name << ": " << got.failure->message);
      CHECK(essence(got) == essence(expected));
      REQUIRE(got.stop);
      CHECK(got.stop->wire == expected.at("stop_reason").get<std::string>());
    }
  }
  CHECK(seen >= 90);
}

TEST_CASE("recorded streams that were cut off" * doctest::skip(!recordings_present("derived"))) {
  StreamRig rig(StreamApi::messages);
  int seen = 0;
  for (const fs::path& path : recorded(recordings() / "derived", ".json")) {
    ++seen;
    const std::string name = path.filename().string();
    CAPTURE(name);
    const Json cut = Json::parse(read_file(path.string()));
    const Json& expected = cut.at("expected");
    ServerReply reply = ServerReply::stream(read_file(without_ending(path, ".json") + ".sse"));
    reply.random_cuts(static_cast<std::uint32_t>(seen));
    const AssembledReply got = rig.play(reply, false);
    CHECK(got.broken.empty());
    const bool told = !expected.at("stop_reason").is_null();
    CHECK(got.failure.has_value() != told);
    if (got.failure && cut.at("ending") == "eof") {
      CHECK(got.failure->failure_class == model::FailureClass::stream_truncated);
    }
    std::string text;
    for (const AssembledBlock& block : got.blocks) {
      if (block.kind == model::BlockKind::text) text += block.text;
    }
    CHECK(text == expected.at("text").get<std::string>());
    // Which blocks had come to their stop.
    const Json& blocks = expected.at("blocks");
    REQUIRE(got.blocks.size() == blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (got.blocks[i].kind == model::BlockKind::tool_use && got.blocks[i].text.empty()) {
        continue;  // an empty call ends later than its stop
      }
      CHECK(got.blocks[i].ended == (blocks[i].at("stopped").get<bool>() || told));
    }
  }
  CHECK(seen >= 50);
}
