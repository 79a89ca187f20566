// The name of a session that is not there yet: of several processes that would make it one gets it.
#include <doctest/doctest.h>

#include "session/opening.h"
#include "store_rig.h"

using namespace agentd;
using namespace agentd::session;

TEST_CASE("a new name goes to one process until it is let go, and never to a session's place") {
  Directory directory;
  auto store = opened(directory);
  const StoreThread thread(directory.file(), Durability::normal);
  {
    const auto mine = reserve_session(store, thread, "w1", "s");
    REQUIRE_MESSAGE(mine.has_value(), mine.error().message);
    CHECK(code_of(reserve_session(store, thread, "w2", "s")) == Code::session_locked);
    CHECK(reserve_session(store, thread, "w2", "other").has_value());
  }
  CHECK(reserve_session(store, thread, "w2", "s").has_value());
  done(store.add(row("s")));
  CHECK(code_of(reserve_session(store, thread, "w1", "s")) == Code::conflict);
}
