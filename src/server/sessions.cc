#include "server/sessions.h"

#include <algorithm>
#include <utility>

namespace agentd::server {

Session* Sessions::find(const std::string& session_id) {
  const auto found = sessions_.find(session_id);
  return found == sessions_.end() ? nullptr : &found->second;
}

Session& Sessions::add(Session session) {
  std::string id = session.id;
  return sessions_.insert_or_assign(std::move(id), std::move(session)).first->second;
}

Session* Sessions::find_by_run(const std::string& run_id) {
  const auto found = by_run_.find(run_id);
  return found == by_run_.end() ? nullptr : found->second;
}

std::optional<agent::Ending> Sessions::ending(const std::string& run_id) const {
  const auto found = endings_.find(run_id);
  if (found == endings_.end()) return std::nullopt;
  return found->second;
}

bool Sessions::run_id_used(const std::string& run_id) {
  return find_by_run(run_id) != nullptr || ending(run_id).has_value() ||
         find_waiting_start(run_id) != nullptr;
}

std::vector<WaitingRequest>* Sessions::find_waiting_start(const std::string& run_id) {
  if (run_id.empty()) return nullptr;
  const auto begins_it = [&run_id](const std::vector<WaitingRequest>& requests) {
    return std::any_of(requests.begin(), requests.end(),
                       [&run_id](const auto& waiting) { return waiting.run_id == run_id; });
  };
  for (auto& [name, session] : by_run_) {
    if (begins_it(session->active->after_end)) return &session->active->after_end;
  }
  for (auto& [id, waiting] : opening_) {
    if (begins_it(waiting)) return &waiting;
  }
  return nullptr;
}

std::vector<WaitingRequest>* Sessions::opening(const std::string& session_id) {
  const auto found = opening_.find(session_id);
  return found == opening_.end() ? nullptr : &found->second;
}

std::vector<WaitingRequest>& Sessions::begin_opening(const std::string& session_id) {
  return opening_[session_id];
}

std::vector<WaitingRequest> Sessions::end_opening(const std::string& session_id) {
  auto node = opening_.extract(session_id);
  return node.empty() ? std::vector<WaitingRequest>() : std::move(node.mapped());
}

void Sessions::run_began(Session& session, ActiveRun active) {
  by_run_.emplace(active.run_id, &session);
  session.active = std::move(active);
}

std::vector<WaitingRequest> Sessions::run_ended(const std::string& session_id,
                                                agent::Conversation conversation) {
  Session* session = find(session_id);
  if (session == nullptr || !session->active) return {};
  const agent::Ending ending = session->active->events->ending();
  if (agent::outcome_of(ending) != agent::OutcomeKind::success) every_run_succeeded_ = false;
  remember(session->active->run_id, ending);
  by_run_.erase(session->active->run_id);
  if (session->active->mode) conversation.set_mode(*session->active->mode);
  auto waiting = std::move(session->active->after_end);
  session->active.reset();  // joins the run's thread, which has nothing left to do
  session->conversation = std::move(conversation);
  if (session->journal) {
    session->journal->keep_state(*session->conversation);  // the mode may have come too late for it
    session->journal->release();
  }
  session->held = false;
  return waiting;
}

std::vector<agent::HookContext> Sessions::hook_contexts() const {
  std::vector<agent::HookContext> contexts;
  for (const auto& [id, session] : sessions_) {
    if (!session.conversation) continue;
    const agent::Conversation& conversation = *session.conversation;
    contexts.push_back(
        {session.hooks, id, {}, conversation.cwd, conversation.workspace, conversation.mode});
  }
  return contexts;
}

void Sessions::remember(const std::string& run_id, agent::Ending ending) {
  endings_.emplace(run_id, ending);
  ended_order_.push_back(run_id);
  if (ended_order_.size() <= kRemembered) return;
  endings_.erase(ended_order_.front());
  ended_order_.pop_front();
}

}  // namespace agentd::server
