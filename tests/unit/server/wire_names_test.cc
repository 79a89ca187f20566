// What two rooms that may not include each other both say must be the same: error numbers (rpc,
// protocol) and the names of the closed sets (agent, protocol).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "agent/decide.h"
#include "permission/permission.h"
#include "protocol/errors.h"
#include "protocol/modes.h"
#include "rpc/errors.h"

using namespace agentd;

namespace {

template <class Ours, class Wire>
void check_names(Wire) {
  int value = 0;
  for (const auto& name : wire_names(Wire{}).list) {
    CHECK(to_string(static_cast<Ours>(value)) == name.text);
    CHECK(static_cast<int>(name.value) == value);
    ++value;
  }
}

const protocol::ErrorDoc* documented(int number) {
  for (const auto& error : protocol::kErrors) {
    if (error.number == number) return &error;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("every error that can be sent is documented with its number and name") {
  const std::vector<Code> codes = {
      Code::invalid_input, Code::not_found,   Code::permission_denied, Code::too_large,
      Code::conflict,      Code::unavailable, Code::timeout,           Code::cancelled,
      Code::session_busy,  Code::too_late,    Code::unknown_call,      Code::unknown_run,
      Code::not_delivered, Code::io,          Code::internal,          Code::session_locked};
  for (const Code code : codes) {
    const rpc::ErrorEntry entry = rpc::entry_of(code);
    CAPTURE(entry.number);
    const protocol::ErrorDoc* error = documented(entry.number);
    REQUIRE(error != nullptr);
    CHECK(error->code == entry.name);
  }
  for (const int number :
       {rpc::kParseError, rpc::kInvalidRequest, rpc::kMethodNotFound, rpc::kServerNotInitialized}) {
    CHECK(documented(number) != nullptr);
  }
  CHECK(protocol::kErrors.size() == codes.size() + 4);
}

TEST_CASE("the engine's closed sets have the names of the protocol") {
  check_names<agent::Ending>(protocol::Ending{});
  check_names<agent::Transition>(protocol::Transition{});
  check_names<agent::OutcomeKind>(protocol::Outcome{});
  check_names<permission::Mode>(protocol::PermissionMode{});
}
