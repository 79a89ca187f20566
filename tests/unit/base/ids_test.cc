#include "base/ids.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <thread>

using agentd::RandomIds;

TEST_CASE("an id is its prefix, a stroke and 20 letters or digits") {
  RandomIds ids;
  const std::string id = ids.next("run");
  REQUIRE(id.size() == 24);
  CHECK(id.substr(0, 4) == "run_");
  CHECK(std::all_of(id.begin() + 4, id.end(), [](unsigned char c) {
    return std::isdigit(c) != 0 || (c >= 'a' && c <= 'z');
  }));
}

TEST_CASE("no id comes twice, whichever thread asks") {
  RandomIds ids;
  std::set<std::string> here;
  std::set<std::string> there;
  const auto draw = [&](std::set<std::string>& into) {
    for (int i = 0; i < 2000; ++i) into.insert(ids.next("x"));
  };
  std::thread other([&] { draw(there); });
  draw(here);
  other.join();
  here.merge(there);
  CHECK(here.size() == 4000);
}
