#include "property/session_rig.h"

#include <doctest/doctest.h>

#include <limits>

#include "session/message_json.h"

namespace agentd::test {

using session::SessionStore;

SessionRig::SessionRig(Clock& clock_of_all) : clock(clock_of_all) {
  thread = std::make_shared<session::StoreThread>(place_.path().value() + "/sessions.db",
                                                  session::Durability::normal);
}

SessionRig::~SessionRig() {
  thread.reset();  // before its directory goes
}

Result<session::OpenedSession> SessionRig::open(const std::string& id) {
  return ask<session::OpenedSession>([&](SessionStore& store) {
    return session::open_session(store, *files_, thread, clock, "writer", id);
  });
}

std::vector<session::Part> SessionRig::parts(const std::string& id) {
  auto parts = ask<std::vector<session::Part>>(
      [&](SessionStore& store) { return store.parts(id, 0, std::numeric_limits<int>::max()); });
  REQUIRE_MESSAGE(parts.has_value(), parts.error().message);
  return std::move(*parts);
}

std::string SessionRig::exported(const std::string& id) {
  auto text = ask<std::string>([&](SessionStore& store) -> Result<std::string> {
    std::string all;
    session::ExportPosition at;
    while (true) {
      auto lines = store.export_lines(id, at);
      if (!lines) return lines.error();
      if (lines->empty()) return all;
      for (const auto& line : *lines) all += line + '\n';
    }
  });
  REQUIRE_MESSAGE(text.has_value(), text.error().message);
  return std::move(*text);
}

std::vector<MessagePtr> SessionRig::log(const std::string& id) {
  const std::string all = exported(id);
  std::vector<MessagePtr> log;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string line = all.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(R"({"type":"message")")) continue;
    // Behind type and number are the members of the message as it is stored.
    const std::size_t members = line.find(',', line.find(',') + 1) + 1;
    auto message = session::message_from_json('{' + line.substr(members));
    REQUIRE_MESSAGE(message.has_value(), message.error().message);
    log.push_back(std::make_shared<const Message>(std::move(*message)));
  }
  return log;
}

std::string text_of(const std::vector<MessagePtr>& messages) {
  std::string text;
  for (const auto& each : messages) text += session::to_json(*each) + '\n';
  return text;
}

}  // namespace agentd::test
