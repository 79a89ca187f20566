// permissions.deny of a settings file: whole tools by name; what is not kept is told.
#include "config/denied_tools.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::config;

namespace {

DeniedTools of(const char* text) {
  return denied_tools(wire::Json::parse(text), "/p/settings.json", {"Bash", "Read", "TodoWrite"});
}

}  // namespace

TEST_CASE("denied tools: names count, rules are told") {
  const auto denied = of(R"json({"permissions": {"deny": ["Bash", "WebFetch", "Bash(rm:*)", "", 7],
                                                 "allow": ["Read"]}})json");
  CHECK(denied.names == std::vector<std::string>{"Bash", "WebFetch"});
  REQUIRE(denied.notices.size() == 1);
  CHECK(denied.notices[0].code == "settings_rule");
  CHECK(denied.notices[0].message.find("/p/settings.json: permissions.deny: 3 rules are ") == 0);
}

TEST_CASE("denied tools: nothing said, nothing denied") {
  for (const char* text : {"{}", "[]", "7", R"({"permissions":7})", R"({"permissions":{}})",
                           R"({"permissions":{"deny":null}})", R"({"permissions":{"deny":[]}})"}) {
    CAPTURE(text);
    CHECK(of(text).names.empty());
    CHECK(of(text).notices.empty());
  }
}

TEST_CASE("denied tools: a deny of the wrong shape is told") {
  const auto denied = of(R"({"permissions":{"deny":"Bash"}})");
  REQUIRE(denied.notices.size() == 1);
  CHECK(denied.notices[0].message.find("permissions.deny: expected an array") != std::string::npos);
}

TEST_CASE("denied tools: one rule that is not kept") {
  const auto denied = of(R"json({"permissions":{"deny":["Bash(rm:*)"]}})json");
  REQUIRE(denied.notices.size() == 1);
  CHECK(denied.notices[0].message.find("1 rule is not kept") != std::string::npos);
}

TEST_CASE("denied tools: a name that only resembles a tool's is told") {
  struct Row {
    const char* name;
    const char* meant;  // empty: nothing is told
  };
  for (const Row& row : {Row{"bash", "Bash"}, Row{"Bsh", "Bash"}, Row{"READ", "Read"},
                         Row{"reads", "Read"}, Row{"TodoWrites", "TodoWrite"}, Row{"Bash", ""},
                         Row{"WebFetch", ""}, Row{"Task", ""}, Row{"TodoRead", ""}}) {
    CAPTURE(std::string(row.name));
    const auto denied = denied_tools({{"permissions", {{"deny", {row.name}}}}}, "/p/settings.json",
                                     {"Bash", "Read", "TodoWrite"});
    CHECK(denied.names == std::vector<std::string>{row.name});
    if (std::string(row.meant).empty()) {
      CHECK(denied.notices.empty());
      continue;
    }
    REQUIRE(denied.notices.size() == 1);
    CHECK(denied.notices[0].code == "settings_rule");
    CHECK(denied.notices[0].message ==
          "/p/settings.json: permissions.deny: there is no tool \"" + std::string(row.name) +
              "\", so nothing is denied by it; did you mean \"" + row.meant + "\"?");
  }
}
