#include "agent/loop.h"

#include <iterator>
#include <random>
#include <utility>

#include "agent/event_log.h"
#include "agent/texts.h"
#include "context/tokens.h"
#include "model/cost.h"

namespace agentd::agent {
namespace {

double jitter() {
  thread_local std::minstd_rand source{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(source);
}

// In a tag of ours: not the user's words.
TextBlock engine_note(std::string_view text) {
  return {context::wrapped({context::AttachmentKind::note, {}, std::string(text)})};
}

}  // namespace

Loop::Loop(const RunOptions& options, Conversation& conversation, const Services& services,
           Sink& sink, std::shared_ptr<FlowGate> gate, std::shared_ptr<Mailbox<RunMessage>> mailbox)
    : options_(options),
      conversation_(conversation),
      services_(services),
      sink_(sink),
      gate_(std::move(gate)),
      mailbox_(std::move(mailbox)),
      offered_(services.tools, options.tools),
      executor_({
          .services = services,
          .tools = offered_,
          .conversation = conversation,
          .session_id = options.session_id,
          .gate = gate_,
          .approvals = options.approvals,
          .hooks =
              {options.hooks, options.session_id, options.run_id, {}, conversation.workspace, {}},
          .deny_stops = options.deny_stops,
          .journal = options.journal,
          .checkpoints = options.checkpoints,
          .emit = [this](Event event) { emit(std::move(event)); },
          .tell = [box = mailbox_](JobMessage m) { box->push(JobArrived{std::move(m)}); },
      }),
      answering_{.now = options.model,
                 .window_as_resolved = options.model.facts.context_window,
                 .output_limit = options.model.facts.default_output},
      batch_summaries_(options.summary_model,
                       [box = mailbox_](int number, model::ModelEvents events) {
                         box->push(BatchSummaryArrived{number, std::move(events)});
                       }) {}

Loop::~Loop() {
  stream_.reset();
  if (!look_.thread.joinable()) return;
  if (look_.found) {
    look_.thread.join();
  } else {
    left_behind().fetch_add(1);  // given up: a dead file system holds it
    look_.thread.detach();
  }
}

RunEnded Loop::run() {
  begin_journal();
  emit(RunStarted{options_.model.name});
  if (options_.compaction) return compact_only();
  if (const auto ending = append_prompt()) return ended(*ending);
  count_overhead();
  while (true) {
    if (const auto ending = prepare()) return ended(*ending);
    stream();
    settle();
    tell_hooks_of_batch();
    const Decision decision = decide_turn();
    record(decision);
    keep_turn();
    emit(TurnEnded{spent_.turns, reply_.stop ? reply_.stop->wire : "", reply_.usage});
    if (const auto* ending = std::get_if<Ending>(&decision)) return ended(*ending);
    sum_up_batch();
    transition_ = std::get<Transition>(decision);
    spent_ = spend(spent_, *transition_, reply_.failure_class());
  }
}

// A run that ended as it should leaves nothing to do here but threads that checked calls which
// were settled meanwhile.
void Loop::wind_up(RunEnded& end) {
  cancelled_ = true;  // whatever the model still says is not heard
  stream_.reset();
  batch_summaries_.stop();
  if (!executor_.settled()) executor_.cancel();
  const auto busy = [this] {
    const bool looking = look_.thread.joinable() && !look_.found && !cancel_.gave_up;
    return looking || !executor_.idle();
  };
  while (busy()) {
    give_up_in_time();
    auto message = mailbox_->pop();
    if (!message) return;
    handle(std::move(*message));
  }
  keep_at_end();
  if (end.message.empty()) end.message = given_up_note();
  end.not_delivered = std::move(messages_.refused);
  auto rest = messages_.waiting.take_rest();
  std::move(rest.begin(), rest.end(), std::back_inserter(end.not_delivered));
}

// ---- prepare -----------------------------------------------------------------------------------

// An ending: this turn's request will not be made.
std::optional<Ending> Loop::prepare() {
  reply_ = Reply("");  // of this turn there is none yet
  reply_.kept = false;
  while (auto message = mailbox_->try_pop()) handle(std::move(*message));
  const bool paused = transition_ == Transition::turn_paused;
  if (may_switch_model()) use_chosen_model();
  const bool room = cancelled_ || make_room();
  const bool takes = room && !cancelled_ && !paused && !turn_hooks_.ends_run;
  auto messages = takes ? take_messages() : std::vector<UserMessage>();
  if (cancelled_) {
    put_back(std::move(messages));
    record_reply(texts::kUserInterrupted);
    return Ending::aborted_streaming;
  }
  if (turn_hooks_.ends_run) {
    put_back(std::move(messages));
    return Ending::hook_stopped;
  }
  if (!room) return may_compact() ? Ending::prompt_too_long : Ending::blocking_limit;
  // It was taken back meanwhile, or a hook refused it: nothing is left to go on with.
  if (transition_ == Transition::message_queued && messages.empty()) return Ending::completed;
  ++spent_.turns;
  keep_log();
  emit(TurnStarted{spent_.turns, transition_, std::exchange(answering_.untold, std::nullopt)});
  if (spent_.turns > 1 && !paused) {
    auto blocks = later_context(false);
    auto reminded = reminders();
    std::move(reminded.begin(), reminded.end(), std::back_inserter(blocks));
    conversation_.history.append({Role::user, std::move(blocks)});
  }
  tell_attached();
  deliver(std::move(messages));
  return std::nullopt;
}

// What the user said meanwhile, as far as its UserPromptSubmit hooks let it through.
std::vector<UserMessage> Loop::take_messages() {
  std::vector<UserMessage> messages = messages_.waiting.take_steering();
  if (messages.empty() && transition_ == Transition::message_queued) {
    if (auto queued = messages_.waiting.take_next_queued()) messages.push_back(std::move(*queued));
  }
  std::vector<UserMessage> passed;
  for (UserMessage& message : messages) {
    messages_.taken.insert(message.id);
    if (hooks_let_through(message)) {
      passed.push_back(std::move(message));
    } else {
      messages_.taken.erase(message.id);
      messages_.refused.push_back(std::move(message));
    }
  }
  return passed;
}

void Loop::put_back(std::vector<UserMessage> messages) {
  for (const UserMessage& message : messages) messages_.taken.erase(message.id);
  messages_.waiting.put_back(std::move(messages));
}

void Loop::deliver(std::vector<UserMessage> messages) {
  if (cancelled_) return put_back(std::move(messages));
  for (UserMessage& message : messages) {
    keep_log();
    emit(Attachment{AttachmentKind::message, "Your message", message.id, message.blocks});
    conversation_.history.append({Role::user, std::move(message.blocks)});
  }
}

// An ending: the prompt does not reach the model.
std::optional<Ending> Loop::append_prompt() {
  Message prompt{Role::user, options_.prompt};
  auto contexts = contexts_for_prompt();
  if (cancelled_) return Ending::aborted_streaming;
  if (!contexts) return Ending::hook_stopped;
  prompt.blocks.insert(prompt.blocks.begin(), std::make_move_iterator(contexts->begin()),
                       std::make_move_iterator(contexts->end()));
  auto found = conversation_.environment.empty() ? first_context() : later_context(true);
  auto reminded = reminders();
  std::move(reminded.begin(), reminded.end(), std::back_inserter(found));
  prompt.blocks.insert(prompt.blocks.begin(), std::make_move_iterator(found.begin()),
                       std::make_move_iterator(found.end()));
  conversation_.history.append(std::move(prompt));
  return std::nullopt;
}

void Loop::count_overhead() {
  std::int64_t tokens = context::estimate(options_.system_prompt);
  for (const ToolDefinition& tool : *told_tools()) tokens += context::estimate(tool);
  conversation_.history.tokens().set_overhead(tokens);
}

// ---- stream ------------------------------------------------------------------------------------

void Loop::stream() {
  keep_before_request();
  for (int attempt = 1; !cancelled_; ++attempt) {
    request(attempt > 1);
    wait_until([this] { return reply_.ended; });
    stream_.reset();
    note_tokens_spent(reply_.usage, answering_.now.facts.prices);
    // Whether a call has started decides whether the request may be made again.
    wait_until([this] { return !executor_.any_about_to_run(); });
    if (cancelled_) return;
    on_reply_over();
    if (!reply_.failure || executor_.any_began() || executor_.must_end()) return;
    if (!wait_before_retry(*reply_.failure, attempt)) return;
    if (!may_switch_model()) continue;
    // Nothing of the reply is left: the new one may answer, with attempts of its own.
    use_chosen_model();
    emit(
        Notice{NoticeLevel::info, "model_changed", answering_.now.name + " answers from here on."});
    attempt = 0;
  }
}

// A turn that the API paused goes back as it is, to whom it came from.
bool Loop::may_switch_model() const {
  return answering_.chosen && transition_ != Transition::turn_paused;
}

void Loop::note_tokens_spent(const Usage& usage, const std::optional<model::Prices>& prices) {
  expenses_.usage.add(usage);
  if (prices) expenses_.usd += model::cost_usd(usage, *prices);
}

void Loop::request(bool again) {
  reply_ = Reply("b" + std::to_string(request_ + 1) + "_");
  held_ = false;
  executor_.begin_turn(options_.tool_start == ToolStart::streaming, again);
  strip_foreign_thinking();
  auto cache_points = conversation_.history.take_cache_points();
  send(conversation_.history.view(), std::move(cache_points), again);
}

// Thinking is signed for one model: another one would refuse it.
void Loop::strip_foreign_thinking() {
  if (conversation_.answered_by != answering_.now.name) conversation_.history.strip_thinking();
}

// An API refuses a history with calls in a request that tells of no tools: where none is offered,
// those that were called are named, and nothing is said of them.
OfferedTools::Definitions Loop::told_tools() {
  const bool none = offered_.definitions()->empty();
  if (!none || !conversation_.history.has_calls()) return offered_.definitions();
  auto named = called_tools_by_name(conversation_.history.view());
  if (!called_tools_ || named.size() != called_tools_->size()) {
    called_tools_ = std::make_shared<const std::vector<ToolDefinition>>(std::move(named));
  }
  return called_tools_;
}

ToolChoice Loop::tool_choice() const {
  if (offered_.definitions()->empty()) return {ToolChoiceKind::none, {}};
  if (!options_.tool_choice.forces()) return options_.tool_choice;
  const bool first_turn = spent_.turns == 1 && !compaction_.summary;
  return first_turn ? options_.tool_choice : ToolChoice{};
}

void Loop::send(std::vector<MessagePtr> messages, std::vector<std::size_t> cache_points,
                bool fresh_connection) {
  auto& cache = conversation_.encoder_caches[answering_.now.provider_name];
  if (!cache) cache = answering_.now.provider->make_cache();
  const model::ModelRequest request{
      .model = answering_.now.model,
      .system = options_.system_prompt,
      .tools = told_tools(),
      .tool_choice = tool_choice(),
      .messages = std::move(messages),
      .cache_points = std::move(cache_points),
      .max_output_tokens = answering_.output_limit,
      .adaptive_thinking = answering_.now.facts.adaptive_thinking,
      .fresh_connection = fresh_connection,
  };
  stream_ = answering_.now.provider->send(
      request, *cache, [box = mailbox_, number = ++request_](model::ModelEvents events) {
        box->push(ModelArrived{number, std::move(events)});
      });
}

// The reply's last word: what its end means for calls that are not whole or have not moved on.
void Loop::on_reply_over() {
  if (reply_.failure) {
    if (executor_.any_began()) {
      executor_.finish_reply(ReplyEnd::broken, is_last_block_call());
    } else {
      discard_reply();
    }
    return;
  }
  finish_calls();
  executor_.open_gate();
}

// Before the gate opens: what the end of the reply forbids must not start first.
void Loop::finish_calls() {
  const auto stop = reply_.stop ? reply_.stop->reason : model::StopReason::unknown;
  switch (stop) {
    case model::StopReason::max_tokens:
    case model::StopReason::timeout:
      return executor_.finish_reply(ReplyEnd::output_limit, is_last_block_call());
    case model::StopReason::context_window_exceeded:
      return executor_.finish_reply(ReplyEnd::window_full, is_last_block_call());
    case model::StopReason::refusal:
      return executor_.finish_reply(ReplyEnd::refusal, is_last_block_call());
    case model::StopReason::end_turn:
    case model::StopReason::tool_use:
    case model::StopReason::stop_sequence:
    case model::StopReason::pause_turn:
    case model::StopReason::unknown:
      return executor_.finish_reply(ReplyEnd::well, is_last_block_call());
  }
}

// False: no further attempt.
bool Loop::wait_before_retry(const model::ModelFailure& failure, int attempt) {
  const auto delay = model::retry_delay(options_.retry, failure, attempt, jitter());
  if (!delay) return false;
  emit(Retrying{attempt + 1, options_.retry.max_attempts, *delay, failure.message});
  retry_due_ = false;
  const auto timer = services_.clock.after(*delay, [box = mailbox_] { box->push(RetryDue{}); });
  wait_until([this] { return retry_due_ || may_switch_model(); });
  return true;
}

// Calls are closed first, then the client drops what it was shown.
void Loop::discard_reply() {
  executor_.finish_reply(ReplyEnd::discarded, is_last_block_call());
  reply_.kept = false;
  if (options_.journal) options_.journal->drop_reply();
  if (reply_.delivered) emit(ReplyDiscarded{spent_.turns});
}

// ---- settle ------------------------------------------------------------------------------------

void Loop::settle() {
  while (!executor_.settled()) {
    auto message = mailbox_->pop();
    if (!message) return;
    handle(std::move(*message));
  }
}

// ---- decide ------------------------------------------------------------------------------------

TurnFacts Loop::facts() const {
  TurnFacts turn;
  turn.cancelled = cancelled_;
  turn.call_was_open = cancel_.call_was_open;
  turn.failure = reply_.failure;
  turn.call_started = executor_.any_began();
  turn.has_calls = reply_.kept && reply_.has_calls();
  turn.call_cut = executor_.any_cut();
  turn.blocked = executor_.blocked();
  turn.hook_stopped = turn_hooks_.batch_stopped || executor_.stopped_by_hook();
  turn.repeated = executor_.repeated();
  turn.steered = messages_.waiting.any(Delivery::steer);
  turn.queued = messages_.waiting.any(Delivery::queue);
  turn.below_token_budget = token_budget_left(
      {.budget = options_.token_budget, .spent = expenses_.usage.output_tokens.value_or(0)},
      expenses_.round_began_at);
  turn.over_cost_budget = options_.max_budget_usd && expenses_.usd >= *options_.max_budget_usd;
  turn.empty = reply_.empty();
  if (reply_.stop) turn.stop = reply_.stop->reason;
  return turn;
}

// Not one line of it stays in history.
bool Loop::discards_reply(const Decision& decision) const {
  const bool refused = decision == Decision(Ending::refused) && !executor_.any_began();
  return refused || decision == Decision(Transition::output_limit_raised);
}

Decision Loop::decide_turn() {
  const bool window_full =
      reply_.stop && reply_.stop->reason == model::StopReason::context_window_exceeded;
  if (reply_.kept && !reply_.failure && !window_full) {
    conversation_.compaction_breaker.reply_fitted();
  }
  // What was said while the last call ran counts before the run ends.
  while (auto message = mailbox_->try_pop()) handle(std::move(*message));
  TurnFacts turn = facts();
  Decision decision = decide(turn, spent_, limits(reply_.failure));
  if (stop_hooks_due(decision, turn) && hook_context().has(hooks::Event::stop)) {
    const StopHookWord word = ask_stop_hooks();
    while (auto message = mailbox_->try_pop()) handle(std::move(*message));
    turn = facts();
    turn.stop_hook_objects = word.objects;
    turn.stop_hook_prevents = word.prevents;
    decision = decide(turn, spent_, limits(reply_.failure));
  }
  return decision;
}

// How history reads after the turn.
void Loop::record(const Decision& decision) {
  if (cancelled_) return record_reply(texts::kUserInterrupted);
  if (decision == Decision(Transition::fallback_model)) return use_fallback_model();
  if (decision == Decision(Transition::compacted)) learn_window();
  if (decision == Decision(Transition::request_repaired)) return repair_request(*reply_.failure);
  if (!reply_.kept) return;
  const bool raised = decision == Decision(Transition::output_limit_raised);
  const bool resumed = decision == Decision(Transition::output_resumed);
  const bool nudged = decision == Decision(Transition::nudged);
  if (raised) answering_.output_limit = answering_.now.facts.maximum_output;
  if (discards_reply(decision)) {
    reply_.kept = false;
    if (reply_.delivered) emit(ReplyDiscarded{spent_.turns});
    return;
  }
  const bool by_limit = reply_.stop && reply_.stop->reason == model::StopReason::max_tokens;
  if (resumed && by_limit) answering_.output_limit = answering_.now.facts.maximum_output;
  if (nudged) {
    return conversation_.history.append({Role::user, {engine_note(texts::kNudge)}});
  }
  const bool text_cut = resumed && !reply_.has_calls();
  const bool continued = decision == Decision(Transition::budget_continued);
  if (continued) expenses_.round_began_at = expenses_.usage.output_tokens.value_or(0);
  const bool objected = decision == Decision(Transition::stop_hook_blocked);
  const bool window_full = decision == Decision(Transition::compacted) && !reply_.has_calls();
  record_reply(text_cut      ? std::string(texts::kResume)
               : window_full ? std::string(texts::kResumeWindow)
               : continued   ? std::string(texts::kBudgetLeft)
               : objected    ? texts::stop_hook(turn_hooks_.reason)
                             : std::string());
}

// For the rest of this run; one that the user chose meanwhile comes first. The failed reply left
// nothing behind (no call had started).
void Loop::use_fallback_model() {
  const std::string failed = answering_.now.name;
  if (answering_.chosen) {
    use_chosen_model();
  } else {
    answering_.use(options_.fallback_models[answering_.fallbacks_used++]);
  }
  emit(Notice{NoticeLevel::warning, "fallback_model",
              failed + " could not be had (" + reply_.failure->message +
                  "): " + answering_.now.name + " answers from here on."});
}

void Loop::record_reply(std::string_view user_text) {
  Message answer{Role::user, {}};
  if (reply_.kept) {
    Message said = reply_.message(cancelled_);
    if (!reply_.empty()) {
      conversation_.history.append(std::move(said));
      answer.blocks = executor_.results();
      std::move(turn_hooks_.batch_contexts.begin(), turn_hooks_.batch_contexts.end(),
                std::back_inserter(answer.blocks));
      turn_hooks_.batch_contexts.clear();
    }
  }
  if (reply_.kept) {
    conversation_.history.tokens().measured(reply_.usage);
    conversation_.answered_by = answering_.now.name;
  }
  if (!user_text.empty()) answer.blocks.emplace_back(engine_note(user_text));
  if (!answer.blocks.empty()) conversation_.history.append(std::move(answer));
}

void Loop::use_chosen_model() {
  answering_.use(*std::exchange(answering_.chosen, std::nullopt));
  spent_ = with_new_model(spent_);
}

// ---- small parts -------------------------------------------------------------------------------

bool Loop::is_last_block_call() const {
  return !reply_.blocks().empty() && reply_.blocks().back().kind == model::BlockKind::tool_use;
}

void Loop::emit(Event event) {
  log_event(options_.run_id, event);
  keep_result(event);
  sink_.emit(std::move(event));
}

}  // namespace agentd::agent
