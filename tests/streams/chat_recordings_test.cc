// Recorded Chat Completions streams of many vendors, where they lie beside the source, through the
// real client and provider: text, reasoning, calls and the stop as independent readers put them
// together.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "support/recordings.h"
#include "support/stream_case.h"
#include "support/stream_rig.h"

using namespace agentd;
using namespace agentd::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> recorded(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::string vendor_and_api = name.substr(0, name.find("-chat-"));
    const bool chat = name.find("-chat-") != std::string::npos &&
                      vendor_and_api.find("responses") == std::string::npos;
    if (chat && name.ends_with(ending)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string without_ending(const fs::path& path, const std::string& ending) {
  const std::string text = path.string();
  return text.substr(0, text.size() - ending.size());
}

// Prose, and calls whose arguments are whole.
struct Essence {
  std::string text;
  std::string thinking;
  std::string calls;
};

void add_call(Essence& essence, const std::string& id, const std::string& name,
              const std::string& arguments) {
  const bool none = arguments.empty() || arguments == "null";
  const Json input = none ? Json::object() : Json::parse(arguments, nullptr, false);
  if (!input.is_object()) return;  // nothing that could run
  essence.calls += id + " " + name + " " + input.dump() + "\n";
}

Essence essence(const Json& expected) {
  Essence out{expected.at("text").get<std::string>(), expected.at("reasoning").get<std::string>(),
              ""};
  for (const Json& call : expected.at("tool_calls")) {
    add_call(out, call.at("id").get<std::string>(), call.at("name").get<std::string>(),
             call.at("raw").get<std::string>());
  }
  return out;
}

// `open`: what the limit cut counts too; the readers compared with do not ask how a reply ended.
Essence essence(const AssembledReply& reply, bool open) {
  Essence out;
  for (const AssembledBlock& block : reply.blocks) {
    if (block.kind == model::BlockKind::text) out.text += block.text;
    if (block.kind == model::BlockKind::thinking) out.thinking += block.text;
    if (block.kind != model::BlockKind::tool_use || !(block.ended || open)) continue;
    add_call(out, block.tool_use_id, block.tool_name, block.text);
  }
  return out;
}

void check_stop(const Json& expected, const AssembledReply& got) {
  const Json& stop = expected.at("stop_reason");
  const std::string wire = got.stop ? got.stop->wire : "";
  CHECK(wire == (stop.is_null() ? "" : stop.get<std::string>()));
}

}  // namespace

TEST_CASE("recorded chat streams" * doctest::skip(!recordings_present("streams"))) {
  StreamRig rig(StreamApi::chat);
  int seen = 0;
  for (const fs::path& path : recorded(recordings() / "streams", ".expected.json")) {
    ++seen;
    const std::string name = path.filename().string();
    CAPTURE(name);
    const Json expected = Json::parse(read_file(path.string())).at("assembled");
    const std::string body = read_file(without_ending(path, ".expected.json") + ".sse");
    ServerReply reply = ServerReply::stream(body);
    for (const std::uint32_t seed : {0u, 1u}) {
      if (seed > 0) reply.random_cuts(seed);
      const AssembledReply got = rig.play(reply);
      CHECK(got.broken.empty());
      CHECK(got.failure.has_value() == (body.find("event: error") != body.npos));
      check_stop(expected, got);
      const Essence wanted = essence(expected);
      const Essence had = essence(got, true);
      CHECK(had.text == wanted.text);
      CHECK(had.calls == wanted.calls);
      // Some tell it in details only, which the others do not read.
      const bool details = wanted.thinking.empty() && body.find("reasoning_details") != body.npos;
      if (!details) CHECK(had.thinking == wanted.thinking);
    }
  }
  CHECK(seen >= 150);
}

TEST_CASE("recorded chat streams that were cut off" *
          doctest::skip(!recordings_present("derived"))) {
  StreamRig rig(StreamApi::chat);
  int seen = 0;
  for (const fs::path& path : recorded(recordings() / "derived", ".json")) {
    ++seen;
    const std::string name = path.filename().string();
    CAPTURE(name);
    const Json cut = Json::parse(read_file(path.string()));
    const Json& expected = cut.at("expected");
    ServerReply reply = ServerReply::stream(read_file(without_ending(path, ".json") + ".sse"));
    reply.random_cuts(static_cast<std::uint32_t>(seen));
    const AssembledReply got = rig.play(reply);
    CHECK(got.broken.empty());
    const bool whole = !expected.at("stop_reason").is_null();
    CHECK(got.failure.has_value() != whole);
    if (got.failure && cut.at("ending") == "eof") {
      CHECK(got.failure->failure_class == model::FailureClass::stream_truncated);
    }
    const Essence had = essence(got, whole);
    CHECK(had.text == expected.at("text").get<std::string>());
    CHECK(had.thinking == expected.at("reasoning").get<std::string>());
    CHECK(had.calls.empty() == !(whole && !expected.at("tool_calls").empty()));
  }
  CHECK(seen >= 15);
}
