#include "base/flow_gate.h"

#include <doctest/doctest.h>

#include <string>

using agentd::FlowGate;

TEST_CASE("an open gate lets pass and keeps nobody") {
  FlowGate gate;
  int resumed = 0;
  CHECK_FALSE(gate.closed());
  CHECK(gate.pass_or_wait([&] { ++resumed; }));
  gate.close();
  gate.open();
  CHECK(resumed == 0);
}

TEST_CASE("a closed gate calls each who waits once, in order, when it opens") {
  FlowGate gate;
  std::string order;
  gate.close();
  CHECK(gate.closed());
  CHECK_FALSE(gate.pass_or_wait([&] { order += 'a'; }));
  CHECK_FALSE(gate.pass_or_wait([&] { order += 'b'; }));
  gate.close();
  CHECK(order.empty());
  gate.open();
  CHECK(order == "ab");
  CHECK_FALSE(gate.closed());
  gate.close();
  gate.open();
  CHECK(order == "ab");
}

TEST_CASE("who is called may close the gate and wait again") {
  FlowGate gate;
  int later = 0;
  gate.close();
  CHECK_FALSE(gate.pass_or_wait([&] {
    gate.close();
    CHECK_FALSE(gate.pass_or_wait([&] { ++later; }));
  }));
  gate.open();
  CHECK(gate.closed());
  CHECK(later == 0);
  gate.open();
  CHECK(later == 1);
}
