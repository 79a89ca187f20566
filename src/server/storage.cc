#include "server/storage.h"

#include <future>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/log.h"
#include "base/utf8.h"
#include "platform/output_files.h"
#include "session/rewind.h"

namespace agentd::server {
namespace {

constexpr std::size_t kTitleBytes = 80;
constexpr int kMostLooks = 3;  // for a session that comes and goes

session::Durability durability(const config::Settings& settings) {
  switch (settings.session_sync.value_or(config::SessionSync::normal)) {
    case config::SessionSync::normal:
      return session::Durability::normal;
    case config::SessionSync::full:
      return session::Durability::full;
  }
  return session::Durability::normal;
}

// Store's thread.
Result<std::string> session_to_open(session::SessionStore& store, const std::string& workspace,
                                    const SessionWish& wish) {
  std::string id = wish.id;
  if (id.empty()) {
    const auto last = store.list({.workspace = workspace, .limit = 1});
    if (!last) return last.error();
    if (last->empty()) {
      return make_error(Code::not_found, "no session of " + workspace +
                                             " is stored: start one "
                                             "without --continue");
    }
    id = last->front().id;
  }
  if (!wish.fork) return id;
  auto copied = session::fork_session(store, id, wish.fork_id, std::nullopt, wish.now);
  if (!copied) return copied.error();
  return wish.fork_id;
}

}  // namespace

Storage::Storage(Engine& engine, bool wanted)
    : engine_(engine), wanted_(wanted), writer_(engine.ids().next("writer")) {}

std::shared_ptr<session::StoreThread> Storage::store() {
  if (!wanted_ || store_) return store_;
  const auto environment = config::process_environment();
  const std::string path = session::store_path(environment);
  if (path.empty()) return nullptr;
  const auto own = config::load_settings("", engine_.files(), environment);
  wanted_ = own.settings.sessions.value_or(true);
  if (!wanted_) return nullptr;
  try {
    store_ = std::make_shared<session::StoreThread>(path, durability(own.settings));
  } catch (const std::system_error& failure) {
    log::error(std::string("store: no thread for it: ") + failure.what());
    return nullptr;
  }
  const std::string outputs = session::outputs_of(store_->directory());
  engine_.io().keep_outputs_in(outputs);
  store_->post([outputs](const auto&) { platform::sweep_outputs(outputs); });
  return store_;
}

std::shared_ptr<session::SessionJournal> Storage::begin(const std::string& id,
                                                        const std::vector<Block>& prompt,
                                                        const agent::Conversation& conversation,
                                                        const config::Settings& settings,
                                                        std::optional<session::SessionLock> name) {
  if (!settings.sessions.value_or(true) || !store()) return nullptr;
  const Clock& clock = engine_.io().clock();
  session::SessionRow row;
  row.id = id;
  row.workspace = conversation.workspace;
  row.title = title_of(prompt);
  row.created = row.updated = session::wall_ms(clock);
  row.state = session::state_json(conversation, {});
  return std::make_shared<session::SessionJournal>(
      store_, engine_.io().clock(), writer_, std::move(row), session::Stored{}, std::move(name));
}

void Storage::open(const std::string& id, std::function<void(Opened)> done) {
  store()->post([thread = store_, &files = engine_.files(), &clock = engine_.io().clock(),
                 writer = writer_, id,
                 done = std::move(done)](const Result<session::SessionStore*>& opened) {
    if (!opened) return done(opened.error());
    done(session::open_session(**opened, files, thread, clock, writer, id));
  });
}

void Storage::open_or_reserve(const std::string& id, std::function<void(Opened, Name)> done) {
  store()->post([thread = store_, &files = engine_.files(), &clock = engine_.io().clock(),
                 writer = writer_, id,
                 done = std::move(done)](const Result<session::SessionStore*>& store) {
    if (!store) return done(store.error(), store.error());
    for (int tries = 1;; ++tries) {
      auto opened = session::open_session(**store, files, thread, clock, writer, id);
      if (opened || opened.error().code != Code::not_found) {
        return done(std::move(opened), make_error(Code::conflict, "there is such a session"));
      }
      auto name = session::reserve_session(**store, *thread, writer, id);
      // Made by another process between the two looks?
      if (name || name.error().code != Code::conflict || tries == kMostLooks) {
        return done(std::move(opened), std::move(name));
      }
    }
  });
}

Storage::Opened open_for_run(Storage& storage, const std::string& workspace,
                             const SessionWish& wish) {
  const auto store = storage.store();
  if (!store)
    return make_error(
        Code::unavailable,
        "sessions are not stored here: \"sessions\" is false in the settings, or neither HOME nor "
        "XDG_DATA_HOME is an absolute path");
  std::promise<Result<std::string>> found;
  store->post([&](const Result<session::SessionStore*>& opened) {
    found.set_value(opened ? session_to_open(**opened, workspace, wish)
                           : Result<std::string>(opened.error()));
  });
  const auto id = found.get_future().get();
  if (!id) return id.error();
  std::promise<Storage::Opened> opened;
  storage.open(*id, [&](Storage::Opened session) { opened.set_value(std::move(session)); });
  return opened.get_future().get();
}

std::string title_of(const std::vector<Block>& prompt) {
  for (const Block& block : prompt) {
    const auto* text = std::get_if<TextBlock>(&block);
    if (text == nullptr) continue;
    std::string_view words = ascii::trimmed(text->text);
    words = ascii::trimmed(words.substr(0, words.find('\n')));
    if (words.empty()) continue;
    if (words.size() <= kTitleBytes) return std::string(words);
    return std::string(utf8::head(words, kTitleBytes)) + "…";
  }
  return "(no words)";
}

}  // namespace agentd::server
