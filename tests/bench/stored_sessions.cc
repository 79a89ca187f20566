#include "bench/stored_sessions.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "agent/conversation.h"
#include "bench/scenarios.h"
#include "session/store.h"
#include "session/stored_state.h"

namespace agentd::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kMany = 10'000;
constexpr std::size_t kTurns = 200;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

Rig storing(const Rig& rig) {
  Rig stored = rig;
  stored.stored = true;
  return stored;
}

/// The store that the subject will open, as it makes it.
session::SessionStore store_of(const Rig& rig) {
  const fs::path directory = fs::path(rig.home) / ".local/share/agentd";
  fs::create_directories(directory);
  return value_of(session::SessionStore::open((directory / "sessions.db").string(),
                                              session::Durability::normal));
}

session::SessionRow row_of(const Rig& rig, const std::string& id, std::int64_t time) {
  agent::Conversation conversation;
  conversation.cwd = conversation.workspace = rig.workspace;
  return {id,
          std::nullopt,
          rig.workspace,
          "A session called " + id,
          time,
          time,
          session::state_json(conversation, {})};
}

/// Questions and answers of 200 characters, every fourth answer with a call.
std::vector<MessagePtr> long_talk() {
  std::vector<MessagePtr> talk;
  const std::string words(200, 'w');
  for (int i = 0; i < kMany; i += 2) {
    const std::string id = "call" + std::to_string(i);
    const bool after_call = i % 8 == 2;
    Message asked{Role::user, {TextBlock{words}}};
    Message said{Role::assistant, {TextBlock{words}}};
    if (after_call) {
      const std::string before = "call" + std::to_string(i - 2);
      asked.blocks.insert(asked.blocks.begin(), ToolResultBlock{before, {TextBlock{words}}, false});
    }
    if (i % 8 == 0) said.blocks.emplace_back(ToolUseBlock{id, "Read", {{"file_path", "a"}}});
    talk.push_back(std::make_shared<const Message>(std::move(asked)));
    talk.push_back(std::make_shared<const Message>(std::move(said)));
  }
  return talk;
}

}  // namespace

StoredTurns stored_turns(Rig& rig) {
  Rig stored = storing(rig);
  const ReadTurns kept = read_turns(stored, kTurns);
  const ReadTurns plain = read_turns(rig, kTurns);
  return {kept.median - plain.median, kept.p95 - plain.median};
}

double stored_command(Rig& rig) {
  Rig stored = storing(rig);
  return command_turns(stored) - command_turns(rig);
}

double stored_start(Rig& rig) {
  Rig stored = storing(rig);
  return start_to_request(stored) - start_to_request(rig);
}

double open_long_session(Rig& rig) {
  Rig stored = storing(rig);
  {
    auto store = store_of(stored);
    if (!store.row("long")) {
      auto transaction = value_of(store.begin());
      value_of(store.add(row_of(stored, "long", 1)));
      value_of(store.append("long", 0, long_talk()));
      value_of(transaction.commit());
    }
  }
  Subject subject(stored);
  return subject.ask("agent/setMode", {{"sessionId", "long"}, {"permissionMode", "ask"}});
}

double list_sessions(Rig& rig) {
  Rig stored = storing(rig);
  {
    auto store = store_of(stored);
    if (!store.row("s1")) {
      auto transaction = value_of(store.begin());
      for (int i = 1; i <= kMany; ++i) {
        value_of(store.add(row_of(stored, "s" + std::to_string(i), i)));
      }
      value_of(transaction.commit());
    }
  }
  Subject subject(stored);
  (void)subject.ask("session/list", {{"limit", 1}});  // opens the store
  return subject.ask("session/list", {{"cwd", stored.workspace}, {"search", "called"}});
}

}  // namespace agentd::bench
