// Random replies, timings, approvals, hooks, cancels and faults hold the rules of the loop. A
// quarter of the sessions are stored, and between their runs killed, read anew, forked and rewound.
// Each run has its own seed, printed when it fails: AGENTD_PROPERTY_SEED=N AGENTD_PROPERTY_RUNS=1
// repeats it. AGENTD_PROPERTY_RUNS sets how many (default 300); from 1000 on every transition and
// ending that chance can bring about must have been met.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "property/coverage.h"
#include "property/invariants.h"
#include "property/random_hooks.h"
#include "property/random_mind.h"
#include "property/stored_session.h"
#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::test::AgentRig;
using agentd::test::Coverage;
using agentd::test::RandomHooks;
using agentd::test::RandomMind;
using agentd::test::StoredSession;

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Short waits are over at once, long ones (giving up on a call) never come.
class ImpatientClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
  std::unique_ptr<Timer> after(Duration delay, std::function<void()> callback) override {
    class Nothing final : public Timer {};
    if (delay < std::chrono::milliseconds(100)) callback();
    return std::make_unique<Nothing>();
  }
};

// What the tools saw: who was inside, and who ran how often.
struct Floor {
  std::mutex mutex;
  int safe_inside = 0;
  bool unsafe_inside = false;
  bool anything_unsafe = false;
  std::map<std::string, int> runs;
  std::set<std::string> unsafe_calls;  // since forget_calls()
  std::set<std::string> safe_calls;
  std::vector<std::string> faults;
  std::function<bool()> gone;  // the process is: what a call does now is not done

  void enter(bool is_safe, const std::string& id) {
    std::lock_guard lock(mutex);
    const bool happens = !gone || !gone();
    if (happens) (is_safe ? safe_calls : unsafe_calls).insert(id);
    if (happens && ++runs[id] > 1) faults.push_back(id + " ran twice");
    if (unsafe_inside) faults.push_back(id + " runs beside an unsafe call");
    if (!is_safe && safe_inside > 0) faults.push_back(id + " is unsafe and not alone");
    if (is_safe && ++safe_inside > 10) faults.push_back("more than ten at once");
    if (!is_safe) unsafe_inside = anything_unsafe = true;
  }
  void leave(bool is_safe) {
    std::lock_guard lock(mutex);
    if (is_safe) {
      --safe_inside;
    } else {
      unsafe_inside = false;
    }
  }
  void forget_calls() {
    unsafe_calls.clear();
    safe_calls.clear();
  }
};

class RandomRun {
 public:
  RandomRun(std::uint64_t seed, Coverage& coverage, test::SessionRig& store, test::Fates& fates)
      : seed_(seed), choice_(seed), coverage_(coverage) {
    rig_.real_clock = &clock_;
    auto hooks = std::make_unique<RandomHooks>(seed * 15'485'863 + 4);
    hooks_ = hooks.get();
    rig_.commands = std::move(hooks);
    add_tools();
    choose_limits();
    choose_model();
    if (!choice_.one_in(3)) rig_.options.hooks = RandomHooks::random_set(choice_);
    static constexpr permission::Mode kModes[] = {permission::Mode::ask,
                                                  permission::Mode::accept_edits,
                                                  permission::Mode::plan, permission::Mode::bypass};
    rig_.conversation.mode = kModes[choice_.below(4)];
    cancel_at_ = choice_.one_in(3) ? choice_.below(40) : -1;
    if (seed % 4 != 1) return;
    session_ = std::make_unique<StoredSession>(store, seed, fates,
                                               [this](const std::string& what) { fail(what); });
    floor_.gone = [this] { return session_->dead(); };
  }

  void go() {
    const int starts = 1 + choice_.below(3);
    for (int i = 0; i < starts; ++i) one_start();
    if (session_ && session_->was_killed()) one_start();  // it must go on
    for (const auto& fault : floor_.faults) fail(fault);
    if (!session_) check_executed_calls_are_in_history();
    check_hooks();
  }

 private:
  void choose_limits() {
    rig_.options.retry.max_attempts = 1 + choice_.below(3);
    rig_.options.retry.first_delay = std::chrono::milliseconds(1);
    rig_.options.retry.max_delay = std::chrono::milliseconds(2);
    rig_.options.max_turns = choice_.one_in(3) ? 1 + choice_.below(4) : 12;
    rig_.options.tool_start = choice_.one_in(2) ? ToolStart::streaming : ToolStart::after_reply;
    rig_.options.approvals = !choice_.one_in(5);
    rig_.options.tools.questions = rig_.options.approvals && !choice_.one_in(5);
    rig_.options.deny_stops = choice_.one_in(2);
    rig_.options.auto_compact = !choice_.one_in(5);
    if (choice_.one_in(6)) rig_.options.token_budget = 3'000;
  }

  void choose_model() {
    auto& facts = rig_.options.model.facts;
    if (choice_.one_in(6)) {
      facts.prices = model::Prices{0, 0, 0, 100};
      rig_.options.max_budget_usd = 0.3;
    }
    if (choice_.one_in(5)) facts.context_window = 1'500 + choice_.below(2'000);  // soon full
    if (choice_.one_in(2)) rig_.options.fallback_models.assign(2, rig_.options.model);
  }

  void add_tools() {
    const auto body = [this](bool is_safe, int kind) {
      return [this, is_safe, kind](const Json& input, const tools::CallContext& context) {
        floor_.enter(is_safe, context.tool_use_id);
        for (int i = 0; i < static_cast<int>(input.dump().size()) % 7; ++i) {
          std::this_thread::yield();
        }
        context.progress(platform::OutputStream::standard_output, "p");
        floor_.leave(is_safe);
        if (kind == 2) throw std::runtime_error("a tool's bug");
        const bool fails = is_safe ? input.value("path", "") != "a" : kind == 1;
        auto outcome = fails ? tools::error_outcome("exit 1") : tools::text_outcome("fine");
        outcome.cancels_queued = fails && !is_safe;
        return outcome;
      };
    };
    rig_.add_tool("Look", true, body(true, 0)).required = {"path"};
    rig_.add_tool("Change", false, body(false, 0)).required = {"path"};
    rig_.add_tool("Command", false, body(false, 1)).required = {"command"};
    rig_.add_tool("Throw", true, body(true, 2));
    rig_.add_tool("Ask", true, body(true, 0)).asks = {
        {"Which?", "Which", {{"this", "", {}}, {"that", "", {}}}, false}};
    rig_.add_tool("Leave", false,
                  [](const Json&, const tools::CallContext& context) {
                    auto outcome = tools::text_outcome("left");
                    outcome.mode = context.mode_before_plan;
                    return outcome;
                  })
        .leaves_plan_mode = true;
  }

  void one_start() {
    INFO("seed ", seed_);  // also of what the rig waits for in vain
    const std::size_t first_request = rig_.provider->requests();
    rig_.sink_owner = std::make_unique<test::RecordingSink>();
    rig_.options.compaction.reset();
    if (choice_.one_in(10)) rig_.options.compaction = "in short";
    rig_.start(session_ ? store_run() : "do it");
    std::jthread model([this, first_request](std::stop_token stop) { feed(first_request, stop); });
    std::jthread user([this](std::stop_token stop) { act(stop); });
    std::jthread impatient([this](std::stop_token stop) {
      while (hooks_->wait_hanging(stop)) cancel();
    });
    rig_.sink().wait([](const Event& e) { return std::holds_alternative<RunEnded>(e); }, "end");
    impatient.request_stop();
    impatient.join();
    user.request_stop();  // before the run goes: the user holds on to it
    user.join();
    const auto end = rig_.wait_end();
    model.request_stop();
    model.join();
    const auto events = rig_.sink().events();
    coverage_.add(events);
    hooks_told_ += rig_.sink().all<HookRan>().size();
    if (cancels_asked_ != cancels_told_) fail("a cancel was not answered");
    check_messages(end);
    for (const auto& fault : test::broken_promises(events, rig_.options.max_turns)) {
      fail(fault);
    }
    for (std::size_t i = first_request; i < rig_.provider->requests(); ++i) {
      for (const auto& fault : test::broken_rules(rig_.provider->request(i).messages)) {
        fail("request " + std::to_string(i) + ": " + fault);
      }
    }
    if (session_) come_back(first_request);
  }

  // What the run of a stored session begins with.
  std::string store_run() {
    session_->begin_run(rig_.options, rig_.conversation,
                        [this] { return rig_.provider->requests(); });
    rig_.sink().first = &session_->ears();
    return session_->prompt();
  }

  // The session as it is found after the run, whatever came to pass.
  void come_back(std::size_t first_request) {
    rig_.options.journal.reset();
    rig_.sink_owner.reset();
    const int lives = session_->lives();
    session_->end_run(rig_.conversation, {floor_.unsafe_calls, floor_.safe_calls, first_request,
                                          [this](std::size_t request, const std::string& text) {
                                            return has_text(
                                                rig_.provider->request(request).messages, text);
                                          }});
    floor_.forget_calls();
    // What the model may not know any more, it may do again; a mode that was left holds again.
    if (session_->was_killed() || session_->lives() != lives) mode_changed_ = true;
  }

  static bool has_text(const std::vector<MessagePtr>& messages, const std::string& text) {
    for (const auto& message : messages) {
      for (const auto& block : message->blocks) {
        const auto* said = std::get_if<TextBlock>(&block);
        if (said != nullptr && said->text.find(text) != std::string::npos) return true;
      }
    }
    return false;
  }

  // The model's side: random replies in random pieces.
  void feed(std::size_t index, std::stop_token stop) {
    RandomMind mind(seed_ * 7919 + 1);
    mind.always_cut = choice_.one_in(20);
    mind.in_circles = choice_.one_in(20);
    if (session_) mind.used_id += std::to_string(session_->lives());
    for (; rig_.provider->wait_request(index, stop); ++index) {
      auto events = mind.reply(index);
      while (!events.empty()) {
        const auto take =
            std::min<std::size_t>(events.size(), 1 + static_cast<std::size_t>(mind.below(6)));
        model::ModelEvents piece(
            std::make_move_iterator(events.begin()),
            std::make_move_iterator(events.begin() + static_cast<std::ptrdiff_t>(take)));
        events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(take));
        rig_.provider->reply(index, std::move(piece));
        if (mind.one_in(2)) std::this_thread::yield();
      }
    }
  }

  // The user's side: answers, cancels, changes of mind.
  void act(std::stop_token stop) {
    RandomMind mood(seed_ * 104729 + 2);
    bool stopped = false;
    for (std::size_t i = 0;; ++i) {
      const auto event = rig_.sink().wait_event(i, stop);
      if (!event) return;
      if (static_cast<int>(i) == cancel_at_) {
        for (int times = 1 + mood.below(2); times > 0; --times) cancel();
      }
      if (session_) session_->maybe_fork_running();
      if (session_ && session_->dead() && !std::exchange(stopped, true)) cancel();
      if (mood.one_in(15)) say_something(mood);
      if (mood.one_in(40)) change_mode();
      if (mood.one_in(80)) rig_.run->withdraw_approvals();
      if (const auto* asked = std::get_if<ApprovalRequested>(&*event)) answer(*asked, mood);
      if (const auto* asked = std::get_if<QuestionAsked>(&*event)) answer(*asked, mood);
    }
  }

  void change_mode() {
    mode_changed_ = true;
    rig_.run->set_mode(permission::Mode::accept_edits);
  }

  // Sometimes it is taken back, perhaps too late.
  void say_something(RandomMind& mood) {
    const std::string id = "m" + std::to_string(++messages_sent_);
    const auto delivery = mood.one_in(2) ? Delivery::steer : Delivery::queue;
    rig_.run->send({id, {TextBlock{"listen: " + id}}, delivery}, [this, id](Result<void> taken) {
      if (taken) in_the_run_.insert(id);
      ++messages_answered_;
    });
    if (!mood.one_in(3)) return;
    ++messages_sent_;
    rig_.run->unsend(id, [this, id](Result<void> taken) {
      if (taken) in_the_run_.erase(id);
      ++messages_answered_;
    });
  }

  // None is lost: what the run took is told to the model or handed back, and nothing else is.
  void check_messages(const RunEnded& end) {
    if (messages_answered_ != messages_sent_) fail("a message was not answered");
    std::set<std::string> seen;
    for (const auto& attached : rig_.sink().all<Attachment>()) {
      if (attached.kind == AttachmentKind::message) seen.insert(attached.message_id);
    }
    for (const auto& message : end.not_delivered) seen.insert(message.id);
    if (seen != in_the_run_) fail("messages were lost, or told though they were taken back");
    in_the_run_.clear();
  }

  void cancel() {
    ++cancels_asked_;
    rig_.run->cancel([this](Ending) { ++cancels_told_; });
  }

  void answer(const ApprovalRequested& asked, RandomMind& mood) {
    ApprovalAnswer answer{.tool_use_id = asked.tool_use_id};
    switch (rig_.options.deny_stops ? mood.below(2) * 4 : mood.below(5)) {
      case 0:
        answer.decision = ApprovalDecision::deny;
        break;
      case 1:
        answer.decision = ApprovalDecision::allow;
        answer.scope = ApprovalScope::session;
        break;
      case 2:
        answer.decision = ApprovalDecision::allow;
        answer.updated_input = Json{{"path", "other"}, {"command", "other"}};
        break;
      case 3:
        cancel();
        return;
      default:
        answer.decision = ApprovalDecision::allow;
        break;
    }
    rig_.run->approve(answer, [](Result<void>) {});
    if (mood.one_in(4)) rig_.run->approve(answer, [](Result<void>) {});  // twice
  }

  // Answered, well or badly, rejected, left open till something else closes it, or cancelled.
  void answer(const QuestionAsked& asked, RandomMind& mood) {
    AnswersGiven given{asked.tool_use_id, {}, false, {}};
    switch (mood.below(5)) {
      case 0:
        given.rejected = true;
        if (mood.one_in(2)) given.message = "not now";
        break;
      case 1:
        given.answers = {{{"neither"}, {}}};
        rig_.run->answer_question(given, [this](Result<void> taken) {
          if (taken) fail("a label that there is not was taken");
        });
        [[fallthrough]];
      case 2:
        given.answers = {{{"this"}, "and more"}};
        break;
      case 3:
        if (mood.one_in(2)) return rig_.run->withdraw_approvals();
        return cancel();
      default:
        given.answers = {{{}, "my own words"}};
        break;
    }
    rig_.run->answer_question(given, [](Result<void>) {});
    if (mood.one_in(4)) rig_.run->answer_question(given, [](Result<void>) {});  // twice
  }

  // Rule 6: what ran is never asked for again, so its result must stand in history.
  void check_executed_calls_are_in_history() {
    std::set<std::string> answered;
    for (const auto& message : rig_.conversation.history.log()) {
      for (const auto& block : message->blocks) {
        if (const auto* result = std::get_if<ToolResultBlock>(&block)) {
          answered.insert(result->tool_use_id);
        }
      }
    }
    for (const auto& [id, runs] : floor_.runs) {
      if (answered.count(id) == 0) fail(id + " ran but is not in history");
    }
  }

  // A hook's no holds, its yes opens nothing that the mode forbids, and each that ran is told of.
  void check_hooks() {
    for (const auto& fault : hooks_->faults()) fail(fault);
    for (const auto& id : hooks_->refused_calls()) {
      if (floor_.runs.count(id) > 0) fail(id + " ran although a hook said no");
    }
    const bool plan = rig_.conversation.mode == permission::Mode::plan && !mode_changed_;
    if (plan && floor_.anything_unsafe) fail("a change was made in plan mode");
    if (hooks_told_ < static_cast<std::size_t>(hooks_->started())) {
      fail("a hook ran and nobody was told");
    }
  }

  void fail(const std::string& what) { FAIL_CHECK("seed " << seed_ << ": " << what); }

  std::uint64_t seed_;
  RandomMind choice_;
  Coverage& coverage_;
  ImpatientClock clock_;
  Floor floor_;
  AgentRig rig_;
  std::unique_ptr<StoredSession> session_;  // nullptr: in memory alone
  RandomHooks* hooks_ = nullptr;            // the rig's
  std::size_t hooks_told_ = 0;
  bool mode_changed_ = false;  // the user's thread, as long as it lives
  int cancel_at_ = -1;
  std::atomic<int> cancels_asked_{0};
  std::atomic<int> cancels_told_{0};
  int messages_sent_ = 0;  // the user's thread, as long as it lives
  std::atomic<int> messages_answered_{0};
  std::set<std::string> in_the_run_;  // the run's thread, then ours
};

}  // namespace

TEST_CASE("whatever happens, the loop keeps its promises") {
  const auto runs = number_from("AGENTD_PROPERTY_RUNS", 300);
  const auto seed = number_from("AGENTD_PROPERTY_SEED", 1);
  Coverage coverage;
  ImpatientClock clock;
  test::SessionRig store(clock);
  test::Fates fates;
  for (std::uint64_t i = 0; i < runs; ++i) RandomRun(seed + i, coverage, store, fates).go();
  if (runs < 1000) return;  // too few to meet each of them
  for (const auto& name : coverage.missed()) FAIL_CHECK("never met: " << name);
  for (const auto& line : coverage.counted()) MESSAGE(line);
  for (const auto& name : test::never_met(fates)) FAIL_CHECK("never met: " << name);
  for (const auto& [name, count] : fates) MESSAGE(name << " " << count);
  MESSAGE(runs << " random runs from seed " << seed << " kept every promise");
}
