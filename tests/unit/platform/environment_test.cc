#include "platform/environment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace agentd::platform;

TEST_CASE("what people need passes, what looks like a secret does not") {
  for (const char* name : {"PATH", "HOME", "LANG", "LC_ALL", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK",
                           "https_proxy", "NO_PROXY", "JAVA_HOME", "CARGO_HOME", "VIRTUAL_ENV"}) {
    CAPTURE(name);
    CHECK(passes_to_children(name));
  }
  for (const char* name :
       {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY", "CARGO_REGISTRY_TOKEN", "XDG_SECRET", "CMAKE_DEPLOY_PASSWORD",
        "LC_TOKEN", "DATABASE_URL", "BASH_ENV", "ENV", "LD_PRELOAD", "MAKEFLAGS", "GIT_DIR", ""}) {
    CAPTURE(name);
    CHECK(!passes_to_children(name));
  }
}

TEST_CASE("the fixed entries keep programs from waiting for a person") {
  ::setenv("EDITOR", "vi", 1);
  ::setenv("TERM", "xterm", 1);
  const auto lines = child_environment(base_child_environment(), {});
  const auto has = [&](const char* line) {
    return std::count(lines.begin(), lines.end(), std::string(line)) == 1;
  };
  CHECK(has("TERM=dumb"));
  CHECK(has("EDITOR=true"));
  CHECK(has("VISUAL=true"));
  CHECK(has("GIT_EDITOR=true"));
  CHECK(has("GIT_SEQUENCE_EDITOR=false"));
  CHECK(has("GIT_TERMINAL_PROMPT=0"));
  CHECK(has("PAGER=cat"));
  CHECK(has("GIT_PAGER=cat"));
  CHECK(has("DEBIAN_FRONTEND=noninteractive"));
}

TEST_CASE("added entries win, each name comes once") {
  const auto lines = child_environment({{"A", "1"}, {"B", "2"}}, {{"B", "3"}, {"C", "x=y"}});
  CHECK(lines == std::vector<std::string>{"A=1", "B=3", "C=x=y"});
}
