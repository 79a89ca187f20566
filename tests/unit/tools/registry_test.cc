#include "tools/registry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace agentd;
using namespace agentd::tools;

namespace {

bool lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// Where one sentence runs into the next, "end.Next"; nothing if none does.
std::optional<std::string> run_on(std::string_view text) {
  for (std::size_t i = 1; i + 2 < text.size(); ++i) {
    if (text[i] != '.' || !lower(text[i - 1])) continue;
    if (upper(text[i + 1]) && lower(text[i + 2])) return std::string(text.substr(i - 1, 4));
  }
  return std::nullopt;
}

// A line that is neither empty nor an item, behind an item; nothing if there is none.
std::optional<std::string> broken_item(std::string_view text) {
  bool in_item = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("- ")) {
      in_item = true;
    } else if (line.empty()) {
      in_item = false;
    } else if (in_item) {
      return std::string(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

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

TEST_CASE("what the model reads of a tool has whole sentences and whole lists") {
  CHECK(run_on("in this session.Each call") == "n.Ea");
  CHECK_FALSE(run_on("of *.ts, src/a.cc and A.B. Each call"));
  CHECK(broken_item("One.\n\n- first\nit goes on\n") == "it goes on");
  CHECK_FALSE(broken_item("One.\nTwo.\n\n- first\n- second\n"));
  const Registry registry = built_in_tools();
  for (const auto& tool : registry.all()) {
    const std::string& text = tool->definition().description;
    CAPTURE(tool->definition().name);
    CHECK(run_on(text).value_or("") == "");
    CHECK(broken_item(text).value_or("") == "");
  }
}
