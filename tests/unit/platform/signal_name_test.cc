// How signals are told to people.
#include "platform/signal_name.h"

#include <doctest/doctest.h>

#include <csignal>

using namespace agentd::platform;

TEST_CASE("a signal has a number and, if it is a known one, a name") {
  CHECK(signal_name(SIGKILL) == "signal 9 (SIGKILL)");
  CHECK(signal_name(SIGTERM) == "signal 15 (SIGTERM)");
  CHECK(signal_name(1000) == "signal 1000");
}
