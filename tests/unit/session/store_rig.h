// What the tests of the store share: a directory of their own with a real SQLite file in it, and
// short ways to fill and read a session.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "platform/temporary_directory.h"
#include "session/message_json.h"
#include "session/store.h"

namespace agentd::session {

struct Directory {
  std::string file() const { return path + "/sessions.db"; }

  platform::TemporaryDirectory place;
  std::string path = place.path().value();
};

inline SessionStore opened(const Directory& directory) {
  auto store = SessionStore::open(directory.file(), Durability::normal);
  REQUIRE_MESSAGE(store.has_value(), store.error().message);
  return std::move(*store);
}

inline SessionRow row(const std::string& id, std::int64_t updated = 1) {
  return {id, std::nullopt, "/work", "Title of " + id, 1, updated, "{}"};
}

inline MessagePtr message(Role role, std::vector<Block> blocks) {
  return std::make_shared<const Message>(Message{role, std::move(blocks)});
}

inline std::string text(const std::vector<MessagePtr>& log) {
  std::string out;
  for (const auto& each : log) out += to_json(*each) + "\n";
  return out;
}

template <class T>
Code code_of(const Result<T>& result) {
  REQUIRE(!result.has_value());
  return result.error().code;
}

template <class T>
T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), result.error().message);
  return std::move(*result);
}

/// `part` as the whole of a transaction.
template <class Part>
Result<void> in_transaction(SessionStore& store, const Part& part) {
  auto transaction = value_of(store.begin());
  auto written = part(transaction);
  return written ? transaction.commit() : written;
}

inline void done(const Result<void>& result) {
  REQUIRE_MESSAGE(result.has_value(), result.error().message);
}

}  // namespace agentd::session
