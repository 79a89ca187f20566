// The published contract: what is in it, and where its examples come from.
#include "protocol/contract.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "protocol/errors.h"
#include "protocol/methods.h"
#include "wire/parse.h"

using namespace agentd;
using namespace agentd::protocol;
using wire::Json;

namespace {

struct Names {
  std::vector<std::string>& names;
  template <class Method>
  void operator()(const Method& method) const {
    names.emplace_back(method.name);
  }
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  each_method(Names{names});
  return names;
}

/// Every `$ref` below `json`.
void collect_references(const Json& json, std::set<std::string>& references) {
  if (json.is_object() && json.contains("$ref")) references.insert(json.at("$ref"));
  if (!json.is_structured()) return;
  for (const Json& part : json) collect_references(part, references);
}

/// What a transcript names that the schema does not know. A `<` line is a pattern, a part of the
/// message, so only names can be held against it; a member whose schema is open ends the search.
std::optional<std::string> unknown_member(const Json& schema, const Json& value,
                                          const Json& document, const std::string& path) {
  if (schema.contains("$ref")) {
    const std::string reference = schema.at("$ref");
    return unknown_member(document.at("$defs").at(reference.substr(reference.rfind('/') + 1)),
                          value, document, path);
  }
  for (const char* choice : {"oneOf", "anyOf"}) {
    if (!schema.contains(choice)) continue;
    std::optional<std::string> fault;
    for (const Json& one : schema.at(choice)) {
      fault = unknown_member(one, value, document, path);
      if (!fault) return std::nullopt;
    }
    return fault;
  }
  if (value.is_array() && schema.contains("items")) {
    for (const Json& element : value) {
      if (auto fault = unknown_member(schema.at("items"), element, document, path + "[]")) {
        return fault;
      }
    }
  }
  if (!value.is_object() || !schema.contains("properties")) return std::nullopt;
  for (const auto& [key, member] : value.items()) {
    if (!schema.at("properties").contains(key)) return path + "." + key;
    if (auto fault =
            unknown_member(schema.at("properties").at(key), member, document, path + "." + key)) {
      return fault;
    }
  }
  return std::nullopt;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("every method is in methods.json, once, with references that resolve") {
  const Json methods = Json::parse(methods_json());
  const Json schema = Json::parse(schema_json());
  std::vector<std::string> names;
  for (const Json& method : methods.at("methods")) {
    names.push_back(method.at("name"));
    CHECK(method.at("params").contains("$ref"));
    CHECK(method.contains("result") == (method.at("kind") == "request"));
    CHECK_FALSE(method.at("description").get<std::string>().empty());
  }
  CHECK(names == method_names());
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());

  std::set<std::string> references;
  collect_references(methods, references);
  collect_references(schema, references);
  CHECK(references.size() > 40);
  for (const std::string& reference : references) {
    CAPTURE(reference);
    const std::string path = reference.substr(reference.find('#') + 1);
    CHECK(schema.contains(Json::json_pointer(path)));
  }
}

TEST_CASE("every member of every schema has a sentence") {
  const Json schema = Json::parse(schema_json());
  for (const auto& [name, definition] : schema.at("$defs").items()) {
    if (!definition.contains("properties")) continue;
    for (const auto& [member, described] : definition.at("properties").items()) {
      CAPTURE(name + "." + member);
      if (member == "type") continue;  // a constant
      CHECK(described.contains("description"));
      if (described.contains("description")) {
        CHECK(described.at("description").get<std::string>().back() == '.');
      }
    }
  }
}

TEST_CASE("the reference names every method and every error") {
  const std::string text = readme({});
  for (const std::string& name : method_names()) {
    CHECK(text.find("\n### " + name + "\n") != std::string::npos);
  }
  for (const ErrorDoc& error : kErrors) {
    CHECK(text.find("| " + std::to_string(error.number) + " |") != std::string::npos);
  }
  CHECK(text.find("```json") == std::string::npos);  // no transcript, no example
  CHECK(text.back() == '\n');
}

TEST_CASE("an example is the first line with the method, with the reply to it") {
  const std::vector<Transcript> transcripts = {
      {"a.rpc",
       "# `agent/start`\n"
       "> not json\n"
       R"(> {"jsonrpc":"2.0","id":1,"method":"agent/start","params":{}})"
       "\n"
       R"(< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}})"
       "\n"},
      {"b.rpc", R"(> {"jsonrpc":"2.0","id":2,"method":"agent/start","params":{"prompt":"hi"}})"
                "\n"
                R"(< {"method":"agent/textDelta","params":{"text":"first"}})"
                "\n"
                R"(< {"jsonrpc":"2.0","id":2,"result":{"runId":"$run"}})"
                "\n"
                R"(< {"method":"agent/textDelta","params":{"text":"second"}})"},
  };
  const auto start = find_example(transcripts, "agent/start");
  REQUIRE(start.has_value());
  CHECK(start->transcript == "b.rpc");
  CHECK(start->message ==
        R"({"jsonrpc":"2.0","id":2,"method":"agent/start","params":{"prompt":"hi"}})");
  CHECK(start->result == R"({"jsonrpc":"2.0","id":2,"result":{"runId":"$run"}})");
  const auto delta = find_example(transcripts, "agent/textDelta");
  REQUIRE(delta.has_value());
  CHECK(delta->message == R"({"method":"agent/textDelta","params":{"text":"first"}})");
  CHECK(delta->result.empty());
  CHECK_FALSE(find_example(transcripts, "agent/cancel").has_value());

  const auto failing = find_example({transcripts[0]}, "agent/start");
  REQUIRE(failing.has_value());
  CHECK(failing->result.empty());

  const std::string text = readme(transcripts);
  CHECK(text.find("From `tests/transcripts/b.rpc`:\n\n```json\n{\"jsonrpc\":\"2.0\",\"id\":2,") !=
        std::string::npos);
}

TEST_CASE("transcripts name no member that the schema does not have") {
  const std::filesystem::path directory =
      std::filesystem::path(AGENTD_SOURCE_DIR) / "tests" / "transcripts";
  const Json schema = Json::parse(schema_json());
  std::map<std::string, Json> params;
  const Json methods = Json::parse(methods_json());
  for (const Json& method : methods.at("methods")) params[method.at("name")] = method.at("params");
  int lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".rpc") continue;
    std::istringstream text(read(entry.path()));
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("< {")) continue;  // what is sent may be wrong on purpose
      const Result<Json> message = wire::parse(std::string_view(line).substr(2));
      CAPTURE(entry.path().filename().string() + ": " + line);
      REQUIRE(message.has_value());
      const auto method = wire::string_member(*message, "method");
      if (!method) continue;
      REQUIRE(params.count(std::string(*method)) == 1);
      const Json* given = wire::member(*message, "params");
      if (given == nullptr) continue;
      ++lines;
      CHECK(unknown_member(params.at(std::string(*method)), *given, schema, "params")
                .value_or("none") == "none");
    }
  }
  CHECK(lines > 0);
}
