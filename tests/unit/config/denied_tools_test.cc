// permissions.deny of a settings file: whole tools by name; what is not kept is told.
#include "config/denied_tools.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::config;

namespace {

DeniedTools of(const char* text) {
  return denied_tools(wire::Json::parse(text), "/p/settings.json");
}

}  // namespace

TEST_CASE("denied tools: names count, rules are told") {
  const auto denied = of(R"json({"permissions": {"deny": ["Bash", "WebFetch", "Bash(rm:*)", "", 7],
                                                 "allow": ["Read"]}})json");
  CHECK(denied.names == std::vector<std::string>{"Bash", "WebFetch"});
  REQUIRE(denied.notices.size() == 1);
  CHECK(denied.notices[0].code == "settings_rule");
  CHECK(denied.notices[0].message.find("/p/settings.json: permissions.deny: 3 ") == 0);
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
  CHECK(denied.notices.size() == 1);
}
