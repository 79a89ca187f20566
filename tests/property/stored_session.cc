#include "property/stored_session.h"

#include <algorithm>
#include <utility>

#include "agent/texts.h"
#include "base/ascii.h"
#include "context/attachment.h"
#include "property/invariants.h"
#include "property/kept_parts.h"
#include "protocol/methods.h"
#include "session/message_json.h"
#include "session/stored_state.h"
#include "wire/parse.h"

namespace agentd::test {

using session::SessionStore;

namespace {

std::string text_of(const context::History& history) {
  return test::text_of(history.view());
}

// The export without its header, whose time changes.
std::string without_header(const std::string& exported) {
  return exported.substr(exported.find('\n') + 1);
}

// What must stand behind the log when a kill left this of a reply: written down here once more, so
// that the test does not believe what it tests.
std::vector<Message> closed(const std::map<int, Handed::Draft>& draft) {
  if (draft.empty()) return {};
  Message reply{Role::assistant, {}};
  Message answer{Role::user, {}};
  for (const auto& [number, each] : draft) {
    reply.blocks.push_back(each.block);
    const auto* call = std::get_if<ToolUseBlock>(&each.block);
    if (call == nullptr) continue;
    const auto lost = each.began ? agent::texts::kStoppedMayHaveRun : agent::texts::kStoppedNotRun;
    answer.blocks.emplace_back(
        each.result.value_or(ToolResultBlock{call->id, {TextBlock{std::string(lost)}}, true}));
  }
  // Of thinking only what is signed and stands in front of something.
  std::erase_if(reply.blocks, [](const Block& block) {
    const auto* thinking = std::get_if<ThinkingBlock>(&block);
    const auto* text = std::get_if<TextBlock>(&block);
    return (thinking != nullptr && !thinking->signature) ||
           (text != nullptr && ascii::blank(text->text));
  });
  while (!reply.blocks.empty() && is_thinking(reply.blocks.back())) reply.blocks.pop_back();
  if (reply.blocks.empty()) return {};
  answer.blocks.emplace_back(TextBlock{context::wrapped(
      {context::AttachmentKind::note, {}, std::string(agent::texts::kStoppedHere)})});
  return {std::move(reply), std::move(answer)};
}

// What an uncrashed session would have with the same words.
struct Expected {
  explicit Expected(const Handed& handed) : log(handed.log) {
    context::StoredHistory stored;
    stored.view = handed.view;
    auto history = context::History::restored(stored);
    for (Message& message : closed(handed.draft)) history.append(std::move(message));
    log.insert(log.end(), history.log().begin(), history.log().end());
    view = history.view();
  }
  std::vector<MessagePtr> log;
  context::View view;
};

std::map<std::string, std::string> results_in(const std::vector<MessagePtr>& log,
                                              std::vector<std::string>& faults) {
  std::map<std::string, std::string> results;
  for (const auto& message : log) {
    for (const auto& block : message->blocks) {
      const auto* result = std::get_if<ToolResultBlock>(&block);
      if (result == nullptr) continue;
      const bool fresh = results.emplace(result->tool_use_id, text_of(result->content)).second;
      if (!fresh) faults.push_back(result->tool_use_id + " has two results");
    }
  }
  return results;
}

}  // namespace

std::vector<std::string> never_met(const Fates& fates) {
  std::vector<std::string> wanted{"killed inside a reply",
                                  "killed between replies",
                                  "killed with a prompt sent",
                                  "may have run",
                                  "cut before a run",
                                  "cut before a turn",
                                  "cut before a message",
                                  "opened after its run",
                                  "opened after a kill",
                                  "opened after a fork",
                                  "opened after a rewind",
                                  "opened after a fork at a cut",
                                  "opened after a fork to go on with",
                                  "opened after a fork while it ran",
                                  "opened after a rewind that was undone"};
  std::erase_if(wanted, [&](const std::string& name) { return fates.count(name) > 0; });
  return wanted;
}

StoredSession::StoredSession(SessionRig& rig, std::uint64_t seed, Fates& fates, Fail fail)
    : rig_(rig),
      fates_(fates),
      fail_(std::move(fail)),
      fate_(seed * 32'452'843 + 6),
      base_id_("s" + std::to_string(seed)),
      id_(base_id_) {}

StoredSession::~StoredSession() = default;

// ---- a run -------------------------------------------------------------------------------------

void StoredSession::begin_run(agent::RunOptions& options, const agent::Conversation& conversation,
                              std::function<std::size_t()> requests_now) {
  if (!stored_) {
    session::SessionRow row{id_,
                            std::nullopt,
                            conversation.workspace,
                            "Title",
                            1,
                            1,
                            session::state_json(conversation, {})};
    stored_ = std::make_shared<session::SessionJournal>(rig_.thread, rig_.clock, "writer", row,
                                                        session::Stored{});
  } else if (!held_) {
    std::promise<Result<session::Claim>> answer;
    stored_->claim([&](const Result<session::Claim>& claim) { answer.set_value(claim); });
    const auto claim = answer.get_future().get();
    if (!claim || *claim != session::Claim::ours) fail_("the session was not free between runs");
  }
  held_ = true;
  options.session_id = id_;
  options.run_id = "r" + std::to_string(++runs_);
  run_ = options.run_id;
  prompt_ = options.compaction ? "" : "prompt of " + run_;
  starts_.push_back({run_, text_of(conversation.history)});
  auto handed = handed_;
  handed.view = conversation.history.view();
  handed.draft.clear();
  handed.parts.clear();
  auto events = std::make_unique<server::EventWriter>(
      std::nullopt, std::vector<agent::Notice>(),
      server::RunRecord{stored_, run_, {TextBlock{prompt_.empty() ? "compact" : prompt_}}});
  journal_ = std::make_shared<MortalJournal>(stored_, std::move(events), std::move(handed));
  killed_ = fate_.one_in(2);
  if (killed_) {
    const auto at_death = [this, requests_now] { requests_at_death_ = requests_now(); };
    if (fate_.one_in(3)) {
      journal_->die_in_call(1 + fate_.below(2), fate_.below(8), at_death);
    } else {
      journal_->die(fate_.below(fate_.one_in(2) ? 40 : 150), fate_.below(8), at_death);
    }
  }
  fork_countdown_ = fate_.one_in(4) ? fate_.below(60) : -1;
  running_fork_.clear();
  options.journal = journal_;
}

void StoredSession::maybe_fork_running() {
  if (fork_countdown_-- != 0) return;
  running_fork_ = new_id();
  rig_.thread->post([this, from = id_, to = running_fork_](const Result<SessionStore*>& store) {
    const auto forked = session::fork_session(**store, from, to, std::nullopt, 2);
    if (!forked) fail_("a fork of the running session: " + forked.error().message);
  });
}

void StoredSession::end_run(agent::Conversation& conversation, const Happened& happened) {
  check_running_fork();
  killed_ = journal_->silent();
  if (killed_) {
    after_kill(conversation, happened);
  } else {
    check_kept_run(conversation);
    check_calls(handed_.log, happened);
    if (fate_.one_in(2)) reopen(conversation);
  }
  for (int i = fate_.below(3); i > 0; --i) {
    switch (fate_.below(4)) {
      case 0:
        fork_at_end(conversation);
        break;
      case 1:
        fork_at_run(conversation);
        break;
      default:
        rewind(conversation);
        break;
    }
  }
}

// ---- what must be there ------------------------------------------------------------------------

void StoredSession::expect(const std::string& found, const std::string& wanted,
                           const std::string& what) {
  if (found == wanted) return;
  const auto [at, other] = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end());
  const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at - found.begin() - 200, 0));
  fail_(what + " (" + id_ + ", " + run_ + "):\n  is     ..." + found.substr(from, 600) +
        "\n  wanted ..." + (from < wanted.size() ? wanted.substr(from, 600) : ""));
}

// The rules of a history over what would be sent, and of closure over the parts.
void StoredSession::check_whole(const std::string& id, const agent::Conversation& conversation) {
  for (const auto& fault : test::broken_rules(conversation.history.view())) {
    fail_("opened " + id + ": " + fault);
  }
  for (const auto& fault : test::broken_promises(rig_.parts(id)))
    fail_("opened " + id + ": " + fault);
}

// Nothing of it stays anywhere but in the store.
void StoredSession::let_go() {
  journal_.reset();
  stored_.reset();
  held_ = false;
}

agent::Conversation StoredSession::opened(const std::string& id, const char* after) {
  auto opened = rig_.open(id);
  if (!opened) {
    fail_(std::string("opening after ") + after + ": " + opened.error().message);
    return {};
  }
  ++fates_[std::string("opened after ") + after];
  check_whole(id, opened->conversation);
  if (id == id_) {
    stored_ = opened->journal;
    held_ = true;
    handed_.log = rig_.log(id);
  } else {
    opened->journal->release();
  }
  return std::move(opened->conversation);
}

void StoredSession::check_kept_run(const agent::Conversation& conversation) {
  const Handed handed = journal_->handed();
  stored_->keep_state(conversation);  // as its owner does: the mode may have come too late for it
  stored_->release();
  held_ = false;
  handed_.log = rig_.log(id_);
  expect(text_of(conversation.history), test::text_of(handed.view), "the view that was kept");
  expect(test::text_of(handed_.log), test::text_of(handed.log), "the log of a run that ended");
  const auto parts = rig_.parts(id_);
  for (const auto& fault : lost_parts(parts, run_, handed.parts, false)) fail_(run_ + ": " + fault);
  for (const auto& fault : test::broken_promises(parts)) fail_("after " + run_ + ": " + fault);
}

void StoredSession::after_kill(agent::Conversation& conversation, const Happened& happened) {
  const Handed handed = journal_->handed();
  const auto seen = journal_->calls();
  if (!journal_->dead()) requests_at_death_ = 0;
  let_go();
  ++fates_[handed.draft.empty() ? "killed between replies" : "killed inside a reply"];
  conversation = opened(id_, "a kill");
  const Expected expected(handed);
  const auto& log = handed_.log;
  expect(test::text_of(log), test::text_of(expected.log), "the log after a kill");
  expect(text_of(conversation.history), test::text_of(expected.view), "the view after a kill");
  for (const auto& fault : lost_parts(rig_.parts(id_), run_, handed.parts, true)) {
    fail_(run_ + " after a kill: " + fault);
  }
  check_prompt(log, happened);
  check_calls(log, happened);
  std::vector<std::string> none;
  const auto results = results_in(log, none);
  const bool all_there =
      std::all_of(seen.begin(), seen.end(), [&](const auto& id) { return results.count(id) > 0; });
  if (!all_there) ++lives_;
}

// A request that left had the prompt in it: then the prompt is on the disk.
void StoredSession::check_prompt(const std::vector<MessagePtr>& log, const Happened& happened) {
  if (prompt_.empty() || requests_at_death_ <= happened.first_request) return;
  if (!happened.request_has(requests_at_death_ - 1, prompt_)) return;
  ++fates_["killed with a prompt sent"];
  if (test::text_of(log).find(prompt_) == std::string::npos) fail_("a prompt was sent and is lost");
}

void StoredSession::check_calls(const std::vector<MessagePtr>& log, const Happened& happened) {
  std::vector<std::string> faults;
  const auto results = results_in(log, faults);
  for (const auto& id : happened.unsafe_calls) {
    const auto found = results.find(id);
    if (found == results.end()) {
      faults.push_back(id + " ran but is not in the log");
    } else if (found->second.find(agent::texts::kStoppedNotRun) != std::string::npos) {
      faults.push_back(id + " ran, and the model is told that it did not");
    } else if (found->second.find("may have run wholly") != std::string::npos) {
      ++fates_["may have run"];
    }
  }
  for (const auto& id : happened.safe_calls) {
    if (!killed_ && results.count(id) == 0) faults.push_back(id + " ran but is not in the log");
  }
  for (const auto& fault : faults) fail_(run_ + ": " + fault);
}

void StoredSession::check_running_fork() {
  if (running_fork_.empty()) return;
  (void)opened(running_fork_, "a fork while it ran");
}

// ---- between runs ------------------------------------------------------------------------------

std::string StoredSession::new_id() {
  return base_id_ + "-" + std::to_string(++sessions_);
}

void StoredSession::reopen(agent::Conversation& conversation) {
  const std::string view = text_of(conversation.history);
  const std::string before = rig_.exported(id_);
  const std::string state = session::state_json(conversation, {});
  const std::size_t size = conversation.history.log_size();
  let_go();
  conversation = opened(id_, "its run");
  expect(text_of(conversation.history), view, "the view read anew");
  expect(session::state_json(conversation, {}), state, "the state read anew");
  expect(rig_.exported(id_), before, "what is stored, after it was opened");
  if (conversation.history.log_size() != size) fail_("another log size when read anew");
}

void StoredSession::go_on_with(agent::Conversation& conversation, agent::Conversation other,
                               const std::string& id) {
  let_go();
  id_ = id;
  conversation = std::move(other);
  conversation = opened(id_, "a fork to go on with");
  ++lives_;
}

void StoredSession::fork_at_end(agent::Conversation& conversation) {
  const std::string before = rig_.exported(id_);
  const std::string fork = new_id();
  const auto done = rig_.ask<void>([&](SessionStore& store) {
    return session::fork_session(store, id_, fork, std::nullopt, 2);
  });
  if (!done) return fail_("a fork: " + done.error().message);
  auto other = opened(fork, "a fork");
  expect(text_of(other.history), text_of(conversation.history), "the view of a fork");
  expect(rig_.exported(id_), before, "the original of a fork");
  expect(without_header(rig_.exported(fork)), without_header(before), "a fork");
  if (fate_.one_in(2)) go_on_with(conversation, std::move(other), fork);
}

// Before a run, a turn of one, or a message that was sent to one. `view` as it was there, if known.
Result<session::Cut> StoredSession::random_cut(std::string& view) {
  const auto parts = rig_.parts(id_);
  std::vector<std::function<Result<session::Cut>(SessionStore&)>> cuts;
  if (!starts_.empty() && fate_.one_in(2)) {
    const auto& start =
        starts_[static_cast<std::size_t>(fate_.below(static_cast<int>(starts_.size())))];
    view = start.view;
    ++fates_["cut before a run"];
    return rig_.ask<session::Cut>(
        [&](SessionStore& store) { return store.cut_before_run(id_, start.run); });
  }
  for (const auto& part : parts) {
    const bool is_turn = part.method == protocol::kTurnStarted.name;
    if (!is_turn && part.method != protocol::kAttachment.name) continue;
    const Json params = wire::parse(part.params).value_or(Json::object());
    if (is_turn) {
      const int turn = params.at("turn").get<int>();
      cuts.emplace_back([this, run = part.run, turn](SessionStore& store) {
        ++fates_["cut before a turn"];
        return store.cut_before_turn(id_, run, turn);
      });
    } else if (params.contains("messageId")) {
      const auto id = params.at("messageId").get<std::string>();
      cuts.emplace_back([this, id](SessionStore& store) {
        ++fates_["cut before a message"];
        return store.cut_before_message(id_, id);
      });
    }
  }
  if (cuts.empty()) return make_error(Code::not_found, "nothing to cut at");
  return rig_.ask<session::Cut>(
      cuts[static_cast<std::size_t>(fate_.below(static_cast<int>(cuts.size())))]);
}

void StoredSession::fork_at_run(agent::Conversation& conversation) {
  std::string view = "unknown";
  const auto cut = random_cut(view);
  if (!cut) return;
  const std::string before = rig_.exported(id_);
  const std::string fork = new_id();
  const auto done = rig_.ask<void>(
      [&](SessionStore& store) { return session::fork_session(store, id_, fork, *cut, 2); });
  if (!done) return fail_("a fork at a cut: " + done.error().message);
  auto other = opened(fork, "a fork at a cut");
  if (view != "unknown") expect(text_of(other.history), view, "the view of a fork at a run");
  expect(rig_.exported(id_), before, "the original of a fork at a cut");
  if (!fate_.one_in(2)) return;
  go_on_with(conversation, std::move(other), fork);
  forget_starts();
}

// A run that was cut away has no start to go back to.
void StoredSession::forget_starts() {
  const auto parts = rig_.parts(id_);
  std::erase_if(starts_, [&](const RunStart& start) {
    return std::none_of(parts.begin(), parts.end(),
                        [&](const auto& part) { return part.run == start.run; });
  });
}

void StoredSession::rewind(agent::Conversation& conversation) {
  std::string view = "unknown";
  const auto cut = random_cut(view);
  if (!cut) return;
  const std::string before = rig_.exported(id_);
  const std::string view_before = text_of(conversation.history);
  let_go();
  const auto rewound = rig_.ask<session::FileRewind>([&](SessionStore& store) {
    return session::rewind_session(store, rig_.files(), id_, *cut,
                                   {.conversation = true, .files = fate_.one_in(2)});
  });
  if (!rewound) return fail_("a rewind: " + rewound.error().message);
  const bool undo = fate_.one_in(2);
  if (!undo || fate_.one_in(2)) {
    conversation = opened(id_, "a rewind");
    if (view != "unknown") expect(text_of(conversation.history), view, "the view of a rewind");
  }
  ++lives_;
  if (!undo) return forget_starts();
  let_go();
  const auto undone = rig_.ask<session::FileRewind>(
      [&](SessionStore& store) { return session::undo_rewind_session(store, rig_.files(), id_); });
  if (!undone) return fail_("undoing a rewind: " + undone.error().message);
  expect(without_header(rig_.exported(id_)), without_header(before), "a rewind that was undone");
  conversation = opened(id_, "a rewind that was undone");
  expect(text_of(conversation.history), view_before, "the view after undoing a rewind");
}

}  // namespace agentd::test
