// Several verdicts made into one, and that one against what the permission rules say.
#include "hooks/merge.h"

#include <doctest/doctest.h>

using namespace agentd;
using namespace agentd::hooks;

namespace {

const auto kAllow = PermissionDecision::allow;
const auto kAsk = PermissionDecision::ask;
const auto kDeny = PermissionDecision::deny;

HookVerdict permits(PermissionDecision decision, const std::string& reason = "") {
  HookVerdict verdict;
  verdict.permission = decision;
  verdict.reason = reason;
  return verdict;
}
HookVerdict blocks(const std::string& reason) {
  HookVerdict verdict;
  verdict.outcome = HookOutcome::blocked;
  verdict.block = true;
  verdict.reason = reason;
  return verdict;
}
HookVerdict stops(const std::string& reason) {
  HookVerdict verdict;
  verdict.stop = true;
  verdict.stop_reason = reason;
  return verdict;
}
HookVerdict changes(Json input) {
  HookVerdict verdict = permits(kAllow);
  verdict.updated_input = std::move(input);
  return verdict;
}
HookVerdict adds(const std::string& context) {
  HookVerdict verdict;
  verdict.context = context;
  return verdict;
}

}  // namespace

TEST_CASE("the strictest permission counts, with the reasons of those who said it") {
  struct Row {
    std::vector<HookVerdict> verdicts;
    std::optional<PermissionDecision> permission;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {{}, {}, ""},
      {{HookVerdict{}}, {}, ""},
      {{permits(kAllow, "a")}, kAllow, "a"},
      {{permits(kAllow, "a"), HookVerdict{}}, kAllow, "a"},
      {{permits(kAllow, "a"), permits(kAsk, "b")}, kAsk, "b"},
      {{permits(kAsk, "b"), permits(kAllow, "a")}, kAsk, "b"},
      {{permits(kDeny, "c"), permits(kAsk, "b"), permits(kAllow, "a")}, kDeny, "c"},
      {{permits(kDeny, "c"), permits(kAllow, "a"), permits(kDeny, "d")}, kDeny, "c\nd"},
      {{permits(kDeny, "c"), permits(kDeny, "c")}, kDeny, "c"},
      {{permits(kDeny), permits(kDeny, "c")}, kDeny, "c"},
  };
  for (const Row& row : rows) {
    const MergedVerdict verdict = merged(row.verdicts);
    CHECK(verdict.permission == row.permission);
    CHECK(verdict.reason == row.reason);
    CHECK_FALSE(verdict.block);
    CHECK_FALSE(verdict.stop);
  }
}

TEST_CASE("any block blocks, reasons joined in order") {
  const MergedVerdict verdict = merged({blocks("one"), HookVerdict{}, blocks("two")});
  CHECK(verdict.block);
  CHECK(verdict.reason == "one\ntwo");
  CHECK_FALSE(verdict.permission);
}

TEST_CASE("continue false wins, whatever the others say") {
  for (const auto& other : {permits(kAllow), blocks("b"), adds("c"), HookVerdict{}}) {
    CHECK(merged({other, stops("enough")}).stop);
    CHECK(merged({stops("enough"), other}).stop);
    CHECK(merged({stops("enough"), other}).stop_reason == "enough");
  }
  CHECK(merged({stops("a"), stops("b"), stops("")}).stop_reason == "a\nb");
}

TEST_CASE("contexts and messages stay in order, empty ones left out") {
  HookVerdict speaks;
  speaks.system_message = "m";
  const MergedVerdict verdict = merged({adds("1"), adds(""), speaks, adds("2")});
  CHECK(verdict.contexts == std::vector<std::string>{"1", "2"});
  CHECK(verdict.system_messages == std::vector<std::string>{"m"});
}

TEST_CASE("of changed inputs the last counts, and it is said if they differ") {
  const Json first = {{"command", "a"}};
  const Json second = {{"command", "b"}};
  MergedVerdict verdict = merged({changes(first), HookVerdict{}, changes(second)});
  CHECK(verdict.updated_input == second);
  CHECK(verdict.notices.size() == 1);
  verdict = merged({changes(first), changes(second), changes(first)});
  CHECK(verdict.updated_input == first);
  CHECK(verdict.notices.size() == 1);
  verdict = merged({changes(first), changes(first)});
  CHECK(verdict.updated_input == first);
  CHECK(verdict.notices.empty());
  verdict = merged({changes(first), permits(kAsk)});
  CHECK(verdict.updated_input == first);
  verdict = merged({changes(first), permits(kDeny), changes(second)});
  CHECK_FALSE(verdict.updated_input);
  CHECK(verdict.notices.empty());
}

TEST_CASE("the broken and the cancelled decide nothing, whatever they carry") {
  for (const HookOutcome outcome : {HookOutcome::broken, HookOutcome::cancelled}) {
    HookVerdict verdict = blocks("b");
    verdict.permission = kDeny;
    verdict.stop = true;
    verdict.context = "c";
    verdict.system_message = "m";
    verdict.updated_input = Json::object();
    verdict.outcome = outcome;
    const MergedVerdict one = merged({verdict, permits(kAllow, "a")});
    CHECK(one.permission == kAllow);
    CHECK(one.reason == "a");
    CHECK_FALSE(one.block);
    CHECK_FALSE(one.stop);
    CHECK_FALSE(one.updated_input);
    CHECK(one.contexts.empty());
    CHECK(one.system_messages.empty());
  }
}

TEST_CASE("a hook tightens a permission and never loosens a deny") {
  struct Row {
    PermissionDecision judged;
    std::optional<PermissionDecision> hook;
    PermissionDecision by_mode;
    PermissionDecision by_rule;
  };
  const std::vector<Row> rows = {
      {kAllow, {}, kAllow, kAllow},  {kAllow, kAllow, kAllow, kAllow}, {kAllow, kAsk, kAsk, kAsk},
      {kAllow, kDeny, kDeny, kDeny}, {kAsk, {}, kAsk, kAsk},           {kAsk, kAllow, kAllow, kAsk},
      {kAsk, kAsk, kAsk, kAsk},      {kAsk, kDeny, kDeny, kDeny},      {kDeny, {}, kDeny, kDeny},
      {kDeny, kAllow, kDeny, kDeny}, {kDeny, kAsk, kDeny, kDeny},      {kDeny, kDeny, kDeny, kDeny},
  };
  for (const Row& row : rows) {
    CHECK(combined(row.judged, row.hook) == row.by_mode);
    CHECK(combined(row.judged, row.hook, AskedBy::rule) == row.by_rule);
    CHECK(combined(row.judged, row.hook, AskedBy::place) == row.by_rule);
  }
}
