#include "tools/registry.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agentd;
using namespace agentd::tools;

TEST_CASE("the built-in tools, in their fixed order") {
  const Registry registry = built_in_tools();
  std::vector<std::string> names;
  for (const auto& tool : registry.all()) names.push_back(tool->definition().name);
  CHECK(names == std::vector<std::string>{"Read", "Write", "Edit", "Bash", "Glob", "Grep",
                                          "TodoWrite", "AskUserQuestion", "ExitPlanMode"});
  CHECK(registry.find("Read") == registry.all().front().get());
  CHECK(registry.find("read") == nullptr);
  CHECK(registry.find("") == nullptr);

  REQUIRE(registry.definitions()->size() == 9);
  CHECK(registry.definitions()->at(3).name == "Bash");
  CHECK(registry.definitions() == registry.definitions());  // the same pointer: bytes are reused
}

TEST_CASE("every tool has a description and a closed object schema") {
  const Registry registry = built_in_tools();
  for (const auto& tool : registry.all()) {
    const ToolDefinition& definition = tool->definition();
    CAPTURE(definition.name);
    CHECK(definition.description.size() > 100);
    CHECK(definition.input_schema["type"] == "object");
    CHECK(definition.input_schema["additionalProperties"] == false);
    for (const auto& [name, property] : definition.input_schema["properties"].items()) {
      CAPTURE(name);
      CHECK(property["description"].get<std::string>().size() > 10);
    }
  }
}

TEST_CASE("fields are named and required as the field knows them") {
  const Registry registry = built_in_tools();
  const auto required = [&](const char* name) {
    return registry.find(name)->definition().input_schema["required"];
  };
  CHECK(required("Read") == Json::array({"file_path"}));
  CHECK(required("Write") == Json::array({"file_path", "content"}));
  CHECK(required("Edit") == Json::array({"file_path", "old_string", "new_string"}));
  CHECK(required("Bash") == Json::array({"command"}));
  CHECK(required("Glob") == Json::array({"pattern"}));
  CHECK(required("Grep") == Json::array({"pattern"}));
  const Json& grep = registry.find("Grep")->definition().input_schema["properties"];
  for (const char* name : {"path", "glob", "type", "output_mode", "-A", "-B", "-C", "context", "-n",
                           "-i", "-o", "head_limit", "offset", "multiline"}) {
    CAPTURE(name);
    CHECK(grep.contains(name));
  }
}

TEST_CASE("which calls change nothing") {
  const Registry registry = built_in_tools();
  const Json input = Json::object();
  CHECK(registry.find("Read")->safe(input));
  CHECK(registry.find("Glob")->safe(input));
  CHECK(registry.find("Grep")->safe(input));
  CHECK(registry.find("TodoWrite")->safe(input));
  CHECK_FALSE(registry.find("Write")->safe(input));
  CHECK_FALSE(registry.find("Edit")->safe(input));
  CHECK_FALSE(registry.find("Bash")->safe(input));
  CHECK_FALSE(registry.find("ExitPlanMode")->safe(input));
}

TEST_CASE("inputs are coerced without loss or refused with the field's name") {
  const Registry registry = built_in_tools();
  const Tool& read = *registry.find("Read");
  const auto coerced = read.coerce({{"file_path", "a"}, {"limit", "10"}});
  REQUIRE(coerced);
  CHECK((*coerced)["limit"] == 10);
  const auto stays = registry.find("Write")->coerce({{"file_path", "a"}, {"content", "[1]"}});
  REQUIRE(stays);
  CHECK((*stays)["content"] == "[1]");
  struct Row {
    Json input;
    std::string part;
  };
  const std::vector<Row> rows = {
      {{{"path", "a"}}, "file_path"},
      {{{"file_path", Json::array()}}, "file_path"},
      {{{"file_path", "a"}, {"limit", "ten"}}, "limit"},
      {{{"file_path", "a"}, {"limit", 1.5}}, "limit"},
      {{{"file_path", "a"}, {"limit", 0}}, "limit"},
      {{{"file_path", "a"}, {"offset", -1}}, "offset"},
      {{{"file_path", ""}}, "file_path"},
      {{{"file_path", std::string("a\0b", 3)}}, "file_path"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.input.dump());
    const auto refused = read.coerce(row.input);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find(row.part) != std::string::npos);
  }
}
