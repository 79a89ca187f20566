// The agent/ requests: each becomes a run, or a message to one. A run's own state is never touched
// here: what needs it goes into the run's mailbox with a completion, and the run answers.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/log.h"
#include "server/closed_sets.h"
#include "server/prompt.h"
#include "server/server.h"
#include "server/session_faults.h"

namespace agentd::server {
namespace {

Error unknown_run(const std::string& run_id) {
  return make_error(Code::unknown_run, "there is no run \"" + run_id + "\"");
}

// A fault of what was wished for, at its parameter; one that names a file or a setting stays there.
Error at_wish(Error error, const char* model_came_from) {
  if (error.where == "model") error.where = model_came_from;
  const bool of_request = error.where == "fallbackModels" || error.where == "maxBudgetUsd" ||
                          error.where.starts_with("tool");
  if (of_request) {
    error.where = "params." + error.where;
  }
  return error;
}

// Names are told again and again, and stand in listings.
std::optional<Error> id_fault(const std::string& id, const char* where) {
  constexpr std::size_t kLongest = 200;
  const bool has_control = std::any_of(id.begin(), id.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (!id.empty() && id.size() <= kLongest && !has_control) return std::nullopt;
  return make_error(Code::invalid_input, "expected 1 to 200 bytes without control characters",
                    where);
}

// Faults of the engine's choices, at the parameter they came from.
Error at_parameter(Error error, const char* path) {
  if (error.where.empty() || error.code == Code::invalid_input) error.where = path;
  return error;
}

}  // namespace

void Server::bind_agent() {
  bind(peer_, protocol::kAgentStart,
       [this](auto params, auto answer) { start(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentSend,
       [this](auto params, auto answer) { send(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentUnsend,
       [this](auto params, auto answer) { unsend(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentCancel,
       [this](auto params, auto answer) { cancel(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentApproveTool,
       [this](auto params, auto answer) { approve_tool(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentAnswerQuestion,
       [this](auto params, auto answer) { answer_question(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentCompact,
       [this](auto params, auto answer) { compact(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentSetMode,
       [this](auto params, auto answer) { set_mode(std::move(params), std::move(answer)); });
  bind(peer_, protocol::kAgentSetModel,
       [this](auto params, auto answer) { set_model(std::move(params), std::move(answer)); });
}

// True: the request is answered, or is made again when its session is at hand.
bool Server::start_waits(const protocol::StartParams& params,
                         const Answer<protocol::StartResult>& answer) {
  if (auto fault = id_fault(*params.session_id, "params.sessionId")) {
    answer.error(*fault);
    return true;
  }
  const auto again = [this, params, answer] { start(params, answer); };
  if (wait_for_session(*params.session_id, params.run_id.value_or(""), params.trusted, again,
                       true)) {
    return true;
  }
  if (const auto fault = fault_of(*params.session_id)) {
    answer.error(*fault);
    return true;
  }
  Session* known = sessions_.find(*params.session_id);
  if (known == nullptr || !known->active) return false;
  if (known->active->events->end_told()) {
    start_after(*known->active, params, answer);
  } else {
    answer.error(session_is_busy(), run_id_member(known->active->run_id));
  }
  return true;
}

RunWishes Server::wishes_of(protocol::StartParams& params, const Session& session) const {
  RunWishes wishes;
  wishes.model = params.model ? params.model : session.model;
  if (!wishes.model) wishes.model = options_.model;
  if (params.tool_start) wishes.tool_start = from_protocol(*params.tool_start);
  wishes.max_turns = params.max_turns;
  wishes.tools = std::move(params.tools);
  wishes.questions = questions_ && approvals_;
  if (params.tool_choice) {
    wishes.tool_choice = {from_protocol(params.tool_choice->type),
                          params.tool_choice->name.value_or("")};
  }
  wishes.system_prompt = std::move(params.system_prompt);
  wishes.tool_summary_model = std::move(params.tool_summary_model);
  wishes.fallback_models = std::move(params.fallback_models);
  wishes.max_budget_usd = params.max_budget_usd;
  return wishes;
}

void Server::start(protocol::StartParams params, Answer<protocol::StartResult> answer) {
  if (auto refusal = refuse_new_run(params.run_id)) return answer.error(*refusal);
  if (params.session_id && start_waits(params, answer)) return;
  auto prompt = to_blocks(std::move(params.prompt));
  if (!prompt) return answer.error(prompt.error());
  std::vector<agent::Notice> notices;
  Session fresh;
  auto session = session_for(params, fresh, notices);
  if (!session) return answer.error(session.error());

  RunWishes wishes = wishes_of(params, **session);
  auto run = engine_.options(wishes, (*session)->settings, notices);
  if (!run) {
    const auto& session_said = (*session)->model;
    return answer.error(at_wish(
        run.error(), params.model || session_said || !options_.model ? "params.model" : "--model"));
  }

  // From here on nothing can fail: the session is kept, the reply goes out, the run begins.
  const bool is_new = *session == &fresh;
  Session& kept = is_new ? sessions_.add(std::move(fresh)) : **session;
  if (is_new) {
    kept.journal =
        storage_.begin(kept.id, *prompt, *kept.conversation, kept.settings, take_name(kept.id));
    kept.held = kept.journal != nullptr;
  }
  if (params.model) kept.model = params.model;
  kept.last_wishes = {std::move(wishes.system_prompt), std::move(wishes.tools),
                      std::move(wishes.tool_choice)};
  if (params.permission_mode) {
    kept.conversation->set_mode(from_protocol(*params.permission_mode));
  }
  run->run_id = params.run_id.value_or(engine_.ids().next("run"));
  run->session_id = kept.id;
  run->prompt = std::move(*prompt);
  run->approvals = approvals_;
  run->deny_stops = params.on_deny == protocol::OnDeny::stop;
  run->token_budget = params.token_budget.value_or(0);
  answer.result({kept.id, run->run_id});
  launch(kept, std::move(*run), std::move(notices));
}

std::optional<Error> Server::refuse_new_run(const std::optional<std::string>& run_id) {
  if (run_id && sessions_.run_id_used(*run_id)) {
    return make_error(Code::conflict, "a run had that name before", "params.runId");
  }
  if (run_id) {
    if (auto fault = id_fault(*run_id, "params.runId")) return fault;
  }
  if (shutdown_answer_ || leaving_) return make_error(Code::cancelled, "agentd is shutting down");
  return std::nullopt;
}

void Server::compact(protocol::CompactParams params, Answer<protocol::StartResult> answer) {
  if (auto refusal = refuse_new_run(params.run_id)) return answer.error(*refusal);
  if (wait_for_session(params.session_id, params.run_id.value_or(""), std::nullopt,
                       [this, params, answer] { compact(params, answer); })) {
    return;
  }
  if (const auto fault = fault_of(params.session_id)) return answer.error(*fault);
  Session* session = sessions_.find(params.session_id);
  if (session == nullptr) return answer.error(unknown_session(params.session_id));
  if (session->active && !session->active->events->end_told()) {
    return answer.error(session_is_busy(), run_id_member(session->active->run_id));
  }
  if (session->active) {
    session->active->after_end.push_back(
        {params.run_id.value_or(""), [this, params, answer] { compact(params, answer); }});
    return;
  }
  RunWishes wishes;
  wishes.model = session->model ? session->model : options_.model;
  // Its request begins as those of the run before it, so that the prompt cache is hit.
  wishes.system_prompt = session->last_wishes.system_prompt;
  wishes.tools = session->last_wishes.tools;
  wishes.tool_choice = session->last_wishes.tool_choice;
  wishes.questions = questions_ && approvals_;
  std::vector<agent::Notice> notices;
  auto run = engine_.options(wishes, session->settings, notices);
  if (!run) return answer.error(at_wish(run.error(), "model"));
  run->run_id = params.run_id.value_or(engine_.ids().next("run"));
  run->session_id = session->id;
  run->compaction = params.instructions.value_or("");
  answer.result({session->id, run->run_id});
  launch(*session, std::move(*run), std::move(notices));
}

// The client has seen runEnded, the conversation is on its way back: the session is not busy.
void Server::start_after(ActiveRun& active, protocol::StartParams params,
                         Answer<protocol::StartResult> answer) {
  const std::string run_id = params.run_id.value_or("");
  active.after_end.push_back(
      {run_id, [this, held = std::make_shared<protocol::StartParams>(std::move(params)),
                answer = std::move(answer)] { start(std::move(*held), answer); }});
}

// The session to go on with, or `fresh` made into a new one.
Result<Session*> Server::session_for(const protocol::StartParams& params, Session& fresh,
                                     std::vector<agent::Notice>& notices) {
  if (params.session_id) {
    if (Session* known = sessions_.find(*params.session_id)) return known;
  }
  auto beginning = engine_.begin(params.cwd.value_or(current_directory()), params.trusted);
  if (!beginning) return at_parameter(beginning.error(), "params.cwd");
  fresh.id = params.session_id.value_or(engine_.ids().next("session"));
  fresh.settings = std::move(beginning->settings.settings);
  fresh.hooks = std::move(beginning->hooks);
  fresh.memory_places = std::move(beginning->memory_places);
  fresh.conversation = std::move(beginning->conversation);
  notices = to_notices(beginning->settings.notices);
  const auto unread = opening_faults_.find(fresh.id);
  if (unread != opening_faults_.end() && unread->second.code == Code::unavailable) {
    notices.push_back({agent::NoticeLevel::warning, "sessions_unreadable",
                       "What is stored cannot be read (" + unread->second.message +
                           "): if there was a session of this name, this one begins without what "
                           "was said in it."});
  }
  return &fresh;
}

void Server::launch(Session& session, agent::RunOptions options,
                    std::vector<agent::Notice> notices) {
  ActiveRun active;
  session.had_run = true;
  active.run_id = options.run_id;
  options.hooks = session.hooks;
  options.memory_places = session.memory_places;
  active.gate = std::make_shared<FlowGate>();
  active.events = std::make_unique<EventWriter>(
      outbox_.open_run(session.id, options.run_id, active.gate), std::move(notices),
      RunRecord{session.journal, options.run_id, options.prompt});
  if (session.journal) {
    session.journal->set_wishes(
        {session.model, session.last_wishes.system_prompt, session.last_wishes.tools});
    options.journal = session.journal;
    options.checkpoints = session.journal->checkpoints(options.run_id);
  }
  agent::Conversation conversation = std::move(*session.conversation);
  session.conversation.reset();
  const auto ended = [this, session_id = session.id](agent::Conversation left) {
    inbox_.post([this, session_id, back = std::make_shared<agent::Conversation>(std::move(left))] {
      on_run_ended(session_id, std::move(*back));
    });
  };
  active.run = std::make_unique<agent::Run>(std::move(options), std::move(conversation),
                                            engine_.services(), *active.events, active.gate, ended);
  sessions_.run_began(session, std::move(active));
}

void Server::cancel(protocol::CancelParams params, Answer<protocol::CancelResult> answer) {
  if (const auto ending = sessions_.ending(params.run_id)) {
    return answer.result({to_protocol(*ending)});
  }
  if (wait_for_start(params.run_id, [this, params, answer] { cancel(params, answer); })) return;
  Session* session = sessions_.find_by_run(params.run_id);
  if (session == nullptr) return answer.error(unknown_run(params.run_id));
  // Giving up waiting does not take back the cancel.
  answer.reply().on_cancel([](const rpc::Reply& reply) {
    reply.error(make_error(Code::cancelled, "no longer waited for; the run is being cancelled"));
  });
  session->active->run->cancel(
      [answer](agent::Ending ending) { answer.result({to_protocol(ending)}); });
}

// True if the run is one that a start still waits to begin: then `request` is made after that.
bool Server::wait_for_start(const std::string& run_id, std::function<void()> request) {
  std::vector<WaitingRequest>* before = sessions_.find_waiting_start(run_id);
  if (before == nullptr) return false;
  before->push_back({"", std::move(request)});
  return true;
}

void Server::send(protocol::SendParams params, Answer<protocol::SendResult> answer) {
  if (wait_for_start(params.run_id, [this, params, answer] { send(params, answer); })) return;
  auto blocks = to_blocks(std::move(params.prompt));
  if (!blocks) return answer.error(blocks.error());
  if (sessions_.ending(params.run_id)) {
    return answer.error(make_error(Code::not_delivered, "the run has ended"));
  }
  Session* session = sessions_.find_by_run(params.run_id);
  if (session == nullptr) return answer.error(unknown_run(params.run_id));
  agent::UserMessage message;
  message.id = engine_.ids().next("message");
  message.blocks = std::move(*blocks);
  if (params.delivery) message.delivery = from_protocol(*params.delivery);
  // Accepted is kept: a kill hands it back with the run's end.
  const RunRecord record{session->journal, params.run_id, message.blocks};
  session->active->run->send(message, [answer, id = message.id, record](Result<void> taken) {
    if (!taken) return answer.error(taken.error());
    keep_sent(record, id);
    answer.result({id});
  });
}

void Server::unsend(protocol::UnsendParams params, Answer<protocol::Empty> answer) {
  if (wait_for_start(params.run_id, [this, params, answer] { unsend(params, answer); })) return;
  if (sessions_.ending(params.run_id)) {
    return answer.error(make_error(Code::too_late, "the run has ended"));
  }
  Session* session = sessions_.find_by_run(params.run_id);
  if (session == nullptr) return answer.error(unknown_run(params.run_id));
  const RunRecord record{session->journal, params.run_id, {}};
  session->active->run->unsend(params.message_id,
                               [answer, record, id = params.message_id](Result<void> taken) {
                                 if (!taken) return answer.error(taken.error());
                                 keep_unsent(record, id);
                                 answer.result({});
                               });
}

void Server::approve_tool(protocol::ApproveToolParams params, Answer<protocol::Empty> answer) {
  if (wait_for_start(params.run_id, [this, params, answer] { approve_tool(params, answer); })) {
    return;
  }
  if (params.updated_input && params.decision != protocol::ApprovalDecision::allow) {
    return answer.error(make_error(Code::invalid_input,
                                   "updatedInput is only allowed with the decision allow",
                                   "params.updatedInput"));
  }
  if (sessions_.ending(params.run_id)) {
    return answer.error(make_error(Code::too_late, "the run has ended"));
  }
  Session* session = sessions_.find_by_run(params.run_id);
  if (session == nullptr) return answer.error(unknown_run(params.run_id));
  agent::ApprovalAnswer approval;
  approval.tool_use_id = std::move(params.tool_use_id);
  approval.decision = from_protocol(params.decision);
  if (params.scope) approval.scope = from_protocol(*params.scope);
  approval.updated_input = std::move(params.updated_input);
  approval.message = params.message.value_or("");
  session->active->run->approve(std::move(approval), [answer](Result<void> taken) {
    if (!taken) return answer.error(taken.error());
    answer.result({});
  });
}

void Server::answer_question(protocol::AnswerQuestionParams params,
                             Answer<protocol::Empty> answer) {
  if (wait_for_start(params.run_id, [this, params, answer] { answer_question(params, answer); })) {
    return;
  }
  agent::AnswersGiven given;
  given.tool_use_id = std::move(params.tool_use_id);
  given.rejected = params.rejected.value_or(false);
  given.message = params.message.value_or("");
  if (given.rejected == params.answers.has_value()) {
    return answer.error(make_error(Code::invalid_input, "expected either answers or rejected: true",
                                   "params.answers"));
  }
  if (params.message && !given.rejected) {
    return answer.error(
        make_error(Code::invalid_input, "message is only allowed with rejected", "params.message"));
  }
  if (params.answers) {
    for (protocol::GivenAnswer& one : *params.answers) {
      given.answers.push_back({std::move(one.labels).value_or(std::vector<std::string>()),
                               std::move(one.text).value_or("")});
    }
  }
  if (sessions_.ending(params.run_id)) {
    return answer.error(make_error(Code::too_late, "the run has ended"));
  }
  Session* session = sessions_.find_by_run(params.run_id);
  if (session == nullptr) return answer.error(unknown_run(params.run_id));
  session->active->run->answer_question(std::move(given), [answer](Result<void> taken) {
    if (!taken) return answer.error(taken.error());
    answer.result({});
  });
}

void Server::set_mode(protocol::SetModeParams params, Answer<protocol::Empty> answer) {
  if (wait_for_session(params.session_id, "", std::nullopt,
                       [this, params, answer] { set_mode(params, answer); })) {
    return;
  }
  if (const auto fault = fault_of(params.session_id)) return answer.error(*fault);
  Session* session = sessions_.find(params.session_id);
  if (session == nullptr) {
    return answer.error(unknown_session(params.session_id));
  }
  const permission::Mode mode = from_protocol(params.permission_mode);
  // First the reply, then what follows from it: open questions are settled on the run's thread.
  answer.result({});
  if (session->active) {
    if (!session->active->run->set_mode(mode)) session->active->mode = mode;
  } else {
    session->conversation->set_mode(mode);
    session->keep_state();
  }
}

void Server::set_model(protocol::SetModelParams params, Answer<protocol::Empty> answer) {
  if (wait_for_session(params.session_id, "", std::nullopt,
                       [this, params, answer] { set_model(params, answer); })) {
    return;
  }
  if (const auto fault = fault_of(params.session_id)) return answer.error(*fault);
  Session* session = sessions_.find(params.session_id);
  if (session == nullptr) {
    return answer.error(unknown_session(params.session_id));
  }
  auto model = engine_.models().resolve(params.model);
  if (!model) return answer.error(at_parameter(model.error(), "params.model"));
  session->model = params.model;
  answer.result({});
  if (session->active) {
    session->active->run->set_model(std::move(*model));  // kept when the run has ended
  } else {
    session->keep_state();
  }
}

}  // namespace agentd::server
