// Sessions that are stored: before a request may use one that is not with a run, this process must
// be its writer, and what is in memory must be what is stored. The store's thread finds out;
// meanwhile requests for the session wait, in order, and are done again when it is at hand.
#include <memory>
#include <utility>

#include "server/server.h"

namespace agentd::server {

// True: `go_on` is called later. False: the session can be used now, there is none of that name, or
// fault_of() says why not. With `may_make_it` the name is reserved where there is none.
bool Server::wait_for_session(const std::string& session_id, const std::string& run_id,
                              std::optional<bool> trusted, std::function<void()> go_on,
                              bool may_make_it) {
  if (auto* waiting = sessions_.opening(session_id)) {
    waiting->push_back({run_id, std::move(go_on)});
    return true;
  }
  if (opening_faults_.count(session_id) > 0) return false;
  Session* known = sessions_.find(session_id);
  if (known != nullptr && (known->active || !known->journal || known->held)) return false;
  if (known == nullptr && !storage_.store()) return false;
  sessions_.begin_opening(session_id).push_back({run_id, std::move(go_on)});
  Opening& opening = openings_[session_id];
  opening.number = ++last_opening_;
  opening.patience = engine_.io().clock().after(
      agent::kJournalPatience, [this, session_id, number = opening.number] {
        inbox_.post([this, session_id, number] { opening_is_late(session_id, number); });
      });
  if (known != nullptr) {
    claim_session(*known, opening.number);
  } else if (may_make_it) {
    open_or_reserve(session_id, trusted, opening.number);
  } else {
    open_session(session_id, trusted, opening.number);
  }
  return true;
}

// False: what comes now comes too late, those who waited were answered.
bool Server::ends_opening(const std::string& session_id, int number) {
  const auto opening = openings_.find(session_id);
  if (opening == openings_.end() || opening->second.number != number) return false;
  openings_.erase(opening);
  return true;
}

// The disk does not answer. A session that is in memory goes on there, and its run says so.
void Server::opening_is_late(const std::string& session_id, int number) {
  if (!ends_opening(session_id, number)) return;
  if (Session* known = sessions_.find(session_id)) {
    known->held = true;
  } else {
    opening_faults_.emplace(
        session_id, make_error(Code::timeout, "the disk with the stored sessions does not answer"));
  }
  end_opening(session_id);
}

// That there is no such session is no fault: a start makes it.
std::optional<Error> Server::fault_of(const std::string& session_id) const {
  const auto found = opening_faults_.find(session_id);
  if (found == opening_faults_.end()) return std::nullopt;
  const Error& fault = found->second;
  if (fault.code == Code::not_found || fault.code == Code::unavailable) return std::nullopt;
  return fault;
}

void Server::claim_session(Session& session, int number) {
  session.journal->claim([this, id = session.id, number](Result<session::Claim> claimed) {
    inbox_.post(
        [this, id, number, claimed = std::move(claimed)] { on_claimed(id, number, claimed); });
  });
}

void Server::on_claimed(const std::string& session_id, int number,
                        const Result<session::Claim>& claimed) {
  Session* session = sessions_.find(session_id);
  if (claimed && *claimed == session::Claim::stale && openings_.count(session_id) > 0) {
    session->journal->release();
    sessions_.forget(session_id);
    return open_session(session_id, std::nullopt, number);
  }
  if (!ends_opening(session_id, number)) return;
  if (claimed) {
    session->held = true;
  } else if (claimed.error().code == Code::session_locked) {
    opening_faults_.emplace(session_id, claimed.error());
  } else {
    session->held = true;  // the disk is at fault: the run goes on in memory, and says so
  }
  end_opening(session_id);
}

void Server::open_session(const std::string& session_id, std::optional<bool> trusted, int number) {
  storage_.open(session_id, [this, session_id, trusted, number](Storage::Opened opened) {
    const auto held = std::make_shared<Storage::Opened>(std::move(opened));
    inbox_.post([this, session_id, trusted, number, held] {
      on_opened(session_id, trusted, number, std::move(*held));
    });
  });
}

void Server::open_or_reserve(const std::string& session_id, std::optional<bool> trusted,
                             int number) {
  storage_.open_or_reserve(
      session_id, [this, session_id, trusted, number](Storage::Opened opened, Storage::Name name) {
        struct Found {
          Storage::Opened opened;
          Storage::Name name;
        };
        const auto found = std::make_shared<Found>(Found{std::move(opened), std::move(name)});
        inbox_.post([this, session_id, trusted, number, found] {
          if (found->name && openings_.count(session_id) > 0) {
            reserved_.emplace(session_id, std::move(*found->name));
          } else if (!found->name && found->name.error().code == Code::session_locked) {
            found->opened = std::move(found->name.error());  // another process is making it
          }
          on_opened(session_id, trusted, number, std::move(found->opened));
        });
      });
}

std::optional<session::SessionLock> Server::take_name(const std::string& session_id) {
  auto node = reserved_.extract(session_id);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

void Server::on_opened(const std::string& session_id, std::optional<bool> trusted, int number,
                       Storage::Opened opened) {
  if (!ends_opening(session_id, number)) {
    if (opened) opened->journal->release();
    return;
  }
  Result<void> added =
      opened ? add_opened(std::move(*opened), trusted) : Result<void>(std::move(opened.error()));
  if (!added) opening_faults_.emplace(session_id, std::move(added.error()));
  end_opening(session_id);
}

Result<void> Server::add_opened(session::OpenedSession opened, std::optional<bool> trusted) {
  auto beginning = engine_.begin(opened.row.workspace, trusted);
  if (!beginning) {
    opened.journal->release();
    // The session is there: nobody may take it for a new one.
    return make_error(Code::conflict, "the session's directory cannot be used any more: " +
                                          beginning.error().message);
  }
  Session session;
  session.id = opened.row.id;
  session.settings = std::move(beginning->settings.settings);
  session.hooks = std::move(beginning->hooks);
  session.memory_places = std::move(beginning->memory_places);
  session.model = opened.wishes.model;
  session.last_wishes.system_prompt = opened.wishes.system_prompt;
  session.last_wishes.tools = opened.wishes.tools;
  session.conversation = std::move(opened.conversation);
  session.journal = std::move(opened.journal);
  session.held = true;
  sessions_.add(std::move(session));
  return {};
}

// The requests that waited are done; if none of them began a run, other processes may have it.
void Server::end_opening(const std::string& session_id) {
  for (const WaitingRequest& waiting : sessions_.end_opening(session_id)) waiting.go_on();
  opening_faults_.erase(session_id);
  reserved_.erase(session_id);
  Session* session = sessions_.find(session_id);
  if (session != nullptr && session->journal && session->held && !session->active) {
    session->journal->release();
    session->held = false;
    if (!session->had_run) sessions_.forget(session_id);  // what is stored is enough
  }
  if (shutdown_answer_ && sessions_.idle()) end_sessions();
}

}  // namespace agentd::server
