#include "support/stream_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/retry.h"

namespace agentd::test {
namespace {

namespace fs = std::filesystem;

StreamCase load(const fs::path& json_path) {
  const Json json = Json::parse(read_file(json_path.string()));
  StreamCase loaded;
  loaded.name = json_path.stem().string();
  const Json& http = json.at("http");
  loaded.status = http.at("status").get<int>();
  loaded.headers.emplace_back("content-type", http.at("content_type").get<std::string>());
  if (http.contains("headers")) {
    for (const auto& [name, value] : http.at("headers").items()) {
      loaded.headers.emplace_back(name, value.get<std::string>());
    }
  }
  const Json& transport = json.at("transport");
  loaded.end = transport.at("end").get<std::string>();
  if (transport.contains("split_after_byte")) {
    loaded.cuts = transport.at("split_after_byte").get<std::vector<std::size_t>>();
  }
  loaded.think_tags = json.contains("options") && json.at("options").contains("think_tags");
  loaded.body = read_file(fs::path(json_path).replace_extension(".sse").string());
  loaded.expect = json.at("expect");
  return loaded;
}

std::string expected_text(const Json& block, const char* key) {
  return block.contains(key) ? block.at(key).get<std::string>() : "";
}

// Nullopt-like null: not one JSON object.
Json input_of(const AssembledBlock& block) {
  if (block.text.find_first_not_of(" \t\r\n") == std::string::npos) return Json::object();
  Json input = Json::parse(block.text, nullptr, false);
  return input.is_object() ? input : Json();
}

std::string compare_tool_use(const Json& expected, const AssembledBlock& got) {
  if (got.kind != model::BlockKind::tool_use) return "is no tool_use";
  const std::string id = expected.value("id", "$any");
  if (id != "$any" && got.tool_use_id != id) return "has id " + got.tool_use_id;
  if (got.tool_name != expected.at("name").get<std::string>()) return "has name " + got.tool_name;
  const std::string state = expected.at("state").get<std::string>();
  const Json input = input_of(got);
  if (state == "complete") {
    if (!got.ended) return "did not end";
    if (input != expected.at("input")) return "has input " + got.text;
    return "";
  }
  // Truncated or invalid: nothing that could run. Without a name nothing can.
  if (got.ended && !input.is_null() && !got.tool_name.empty())
    return "could run with input " + got.text;
  return "";
}

std::string compare_thinking(const Json& expected, const AssembledBlock& got) {
  if (got.kind != model::BlockKind::thinking) return "is no thinking";
  if (got.text != expected_text(expected, "thinking")) return "thinks " + got.text;
  const Json& signature = expected.at("signature");
  if (signature.is_null() != !got.signature.has_value()) return "signature present or absent";
  if (got.signature && *got.signature != signature.get<std::string>()) return "another signature";
  return "";
}

std::string compare_block(const Json& expected, const AssembledBlock& got) {
  const std::string type = expected.at("type").get<std::string>();
  if (expected.contains("opaque")) {
    if (got.kind != model::BlockKind::opaque) return "is not opaque";
    const Json block = Json::parse(got.data, nullptr, false);
    if (!block.is_object() || block.value("type", "") != type) return "holds " + got.data;
    return "";
  }
  if (type == "text") {
    if (got.kind != model::BlockKind::text) return "is no text";
    return got.text == expected_text(expected, "text") ? "" : "says " + got.text;
  }
  if (type == "thinking") return compare_thinking(expected, got);
  if (type == "redacted_thinking") {
    return got.kind == model::BlockKind::redacted_thinking &&
                   got.data == expected_text(expected, "data")
               ? ""
               : "is no such redacted thinking";
  }
  return compare_tool_use(expected, got);
}

void compare_blocks(const Json& expected, const AssembledReply& reply,
                    std::vector<std::string>& found) {
  std::vector<AssembledBlock> kept;
  for (const AssembledBlock& block : reply.blocks) {
    // Dropped when the reply goes into the history.
    const bool says_nothing = block.kind == model::BlockKind::text ||
                              (block.kind == model::BlockKind::thinking && !block.signature);
    if (says_nothing && block.text.empty()) continue;
    kept.push_back(block);
  }
  if (kept.size() != expected.size()) {
    found.push_back("there are " + std::to_string(kept.size()) + " blocks, not " +
                    std::to_string(expected.size()));
    return;
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string what = compare_block(expected[i], kept[i]);
    if (!what.empty()) found.push_back("block " + std::to_string(i) + " " + what);
  }
}

void compare_error(const Json& expected, const AssembledReply& reply,
                   std::vector<std::string>& found) {
  if (expected.is_null()) {
    if (reply.failure) found.push_back("failed: " + reply.failure->message);
    return;
  }
  if (!reply.failure) {
    found.emplace_back("did not fail");
    return;
  }
  const std::string got(to_string(reply.failure->failure_class));
  if (got != expected.at("class").get<std::string>()) found.push_back("failed as " + got);
  const bool retried = model::retry_delay({}, *reply.failure, 1, 0).has_value();
  if (retried == (expected.at("retry").get<std::string>() == "never")) {
    found.emplace_back(retried ? "is retried" : "is not retried");
  }
}

void compare_stop(const Json& expect, const AssembledReply& reply,
                  std::vector<std::string>& found) {
  const Json& expected = expect.at("stop");
  const std::string wire = reply.stop ? reply.stop->wire : "";
  if (expected.is_null()) {
    if (reply.stop) found.push_back("stopped: " + wire);
    return;
  }
  if (expect.contains("wire_stop")) {
    const Json& told = expect.at("wire_stop");
    if (wire != (told.is_null() ? "" : told.get<std::string>())) found.push_back("said: " + wire);
    if (told.is_null()) return;
  }
  if (!reply.stop) {
    found.emplace_back("no stop reason");
  } else if (expected != "tool_use" && expected != to_string(reply.stop->reason)) {
    // tool_use in a case is what the blocks say, whatever the wire says.
    found.push_back("stopped: " + wire);
  }
}

void compare_usage(const Json& expected, const AssembledReply& reply,
                   std::vector<std::string>& found) {
  const auto compare = [&](const char* name, const std::optional<std::int64_t>& got) {
    if (expected.contains(name) && got != expected.at(name).get<std::int64_t>()) {
      found.push_back(std::string("usage ") + name);
    }
  };
  compare("input_tokens", reply.usage.input_tokens);
  compare("cache_creation_input_tokens", reply.usage.cache_creation_input_tokens);
  compare("cache_read_input_tokens", reply.usage.cache_read_input_tokens);
  compare("output_tokens", reply.usage.output_tokens);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<StreamCase> load_stream_cases(const std::string& folder, const std::string& prefix) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json" &&
        entry.path().filename().string().starts_with(prefix)) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<StreamCase> cases;
  for (const fs::path& path : paths) cases.push_back(load(path));
  return cases;
}

std::vector<std::string> differences(const StreamCase& stream_case, const AssembledReply& reply) {
  std::vector<std::string> found = reply.broken;
  if (!reply.ended) found.emplace_back("did not come to an end");
  const Json& expect = stream_case.expect;
  compare_blocks(expect.at("blocks"), reply, found);
  compare_stop(expect, reply, found);
  compare_error(expect.at("error"), reply, found);
  if (expect.contains("usage")) compare_usage(expect.at("usage"), reply, found);
  return found;
}

}  // namespace agentd::test
