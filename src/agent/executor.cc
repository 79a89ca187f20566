#include "agent/executor.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "agent/checkpointed_files.h"
#include "agent/result_cap.h"
#include "agent/texts.h"

namespace agentd::agent {
namespace {

constexpr int kMaxRunning = 10;                    // calls at once; rule 3
constexpr std::size_t kMaxJobs = 2 * kMaxRunning;  // threads, those that only check included

std::vector<ToolContent> text_content(std::string text) {
  std::vector<ToolContent> content;
  content.emplace_back(TextBlock{std::move(text)});
  return content;
}

}  // namespace

Executor::Executor(Setup setup)
    : setup_(std::move(setup)),
      grants_(std::make_shared<const permission::Grants>(setup_.conversation.grants)) {}

void Executor::begin_turn(bool gate_open, bool again) {
  for (const auto& call : calls_) earlier_calls_.insert(call.id);
  calls_.clear();
  todos_from_block_ = -1;
  gate_open_ = gate_open;
  any_cut_ = false;
  blocked_ = false;
  repeated_ = false;
  hook_stop_.reset();
  if (again) {
    repeated_calls_.begin_turn_again();
  } else {
    repeated_calls_.begin_turn();
  }
}

// ---- the reply, as it arrives ----------------------------------------------------------------

void Executor::begin(int block, std::string id, std::string name) {
  Call call;
  call.block = block;
  call.id = std::move(id);
  call.name = std::move(name);
  call.tool = setup_.tools.find(call.name);
  call.cancelled_ahead =
      std::any_of(calls_.begin(), calls_.end(), [](const Call& c) { return c.cancelled_ahead; });
  setup_.emit(ToolUse{call.id, call.name, ToolUseState::started, {}, nullptr});
  calls_.push_back(std::move(call));
}

void Executor::input_delta(int block, std::string_view text) {
  if (const Call* call = by_block(block)) {
    setup_.emit(
        ToolUse{call->id, call->name, ToolUseState::input_delta, std::string(text), nullptr});
  }
}

void Executor::close(int block, const Result<Json>& input) {
  Call* call = by_block(block);
  if (call == nullptr || call->state != CallState::streaming || !input) return;
  call->empty_input = input->empty();
  auto fitting = call->tool != nullptr ? call->tool->coerce(*input) : Result<Json>(*input);
  call->input = std::make_shared<const Json>(fitting ? std::move(*fitting) : Json(*input));
  if (!call->ready_told) {
    call->ready_told = true;
    setup_.emit(ToolUse{call->id, call->name, ToolUseState::ready, {}, call->input});
  }
  if (call->tool == nullptr) {
    settle_text(*call, ToolStatus::failed, texts::unknown_tool(call->name, setup_.tools.names()));
  } else if (call->cancelled_ahead) {
    settle_text(*call, ToolStatus::cancelled,
                std::string(blocked_     ? texts::kBlocked
                            : hook_stop_ ? texts::kHookStopped
                                         : texts::kEarlierCallFailed));
  } else if (fitting) {
    call->safe = call->tool->safe(*call->input);
    call->state = CallState::whole;
    notice_repetition(*call);
  }
  // Not fitting: late deltas may still make it so; finish_reply has the last word.
  advance();
}

bool Executor::can_ask() const {
  return setup_.approvals && setup_.conversation.mode != permission::Mode::bypass;
}

void Executor::notice_repetition(Call& call) {
  if (!repeated_calls_.add(call.name, *call.input)) return;
  call.repeated = can_ask();
  if (!call.repeated) repeated_ = true;
}

void Executor::moved_on() {
  for (auto& call : calls_) call.moved_on = true;
  advance();
}

void Executor::open_gate() {
  gate_open_ = true;
  advance();
}

void Executor::finish_reply(ReplyEnd how, bool last_block_is_call) {
  if (how == ReplyEnd::well) {
    for (auto& call : calls_) call.moved_on = true;
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const bool is_last = last_block_is_call && i + 1 == calls_.size();
    if (!is_last && how != ReplyEnd::broken) calls_[i].moved_on = true;
    settle_unfinished(calls_[i], how, is_last);
  }
  advance();
}

// What the end of the reply means for a call that has not started.
void Executor::settle_unfinished(Call& call, ReplyEnd how, bool is_last) {
  if (call.state == CallState::settled || call.state == CallState::running || call.holds_place) {
    return;
  }
  const bool whole = call.state != CallState::streaming;
  const auto cut = [&](std::string_view text) {
    any_cut_ = true;
    settle_text(call, ToolStatus::failed, std::string(text));
  };
  switch (how) {
    case ReplyEnd::well:
      break;
    case ReplyEnd::output_limit:
      if (is_last) return cut(texts::kCutByLimit);
      break;
    case ReplyEnd::window_full:
      if (is_last) return cut(texts::kCutByWindow);
      break;
    case ReplyEnd::refusal:
      return settle_text(call, ToolStatus::cancelled, std::string(texts::kRefused));
    case ReplyEnd::discarded:
      return settle_text(call, ToolStatus::cancelled, std::string(texts::kDiscarded));
    case ReplyEnd::broken:
      if (!whole || !call.released()) {
        return settle_text(call, ToolStatus::failed, std::string(texts::kCutByStream));
      }
      break;
  }
  if (whole) return;
  if (call.input == nullptr) {
    return settle_text(call, ToolStatus::failed, texts::invalid_json("it does not parse"));
  }
  const auto fitting = call.tool->coerce(*call.input);
  settle_text(call, ToolStatus::failed,
              texts::invalid_input(fitting ? "unknown fault" : fitting.error().message));
}

// ---- places ------------------------------------------------------------------------------------

// One pass over the calls in block order: whoever can go a step further does.
void Executor::advance() {
  if (!gate_open_ || cancelled_) return;
  bool all_settled_ahead = true;
  bool unsafe_ahead = false;
  bool may_ask = true;     // questions are put in block order
  bool mode_open = false;  // a call ahead may change it
  auto running = std::count_if(calls_.begin(), calls_.end(), [](const Call& call) {
    return call.state == CallState::running || call.holds_place;
  });
  for (auto& call : calls_) {
    const bool place_free =
        call.released() && running < kMaxRunning && (call.safe ? !unsafe_ahead : all_settled_ahead);
    switch (call.state) {
      case CallState::streaming:
        may_ask = false;
        break;
      case CallState::whole:
        if (!mode_open && jobs_.working() < kMaxJobs && !writes_same_file_ahead(call)) {
          // What the user wrote is first resolved, then compared when it runs.
          const bool may_run =
              place_free && !call.input_replaced && !call.repeated && !must_ask_user(call);
          start_job(call, may_run);
          if (call.state == CallState::settled) continue;  // no thread to be had
          if (may_run) ++running;
        }
        may_ask = false;
        break;
      case CallState::checking:
        may_ask = false;
        break;
      case CallState::must_ask:
        if (may_ask) ask(call);
        if (call.state == CallState::settled) continue;  // nobody to ask
        break;
      case CallState::awaiting_approval:
      case CallState::awaiting_answer:
        break;
      case CallState::waiting:
        if (must_ask_user(call)) {
          if (may_ask) ask_user(call);
          if (call.state == CallState::settled) continue;  // nobody to ask
        } else if (place_free) {
          start_job(call, true);
          if (call.state == CallState::settled) continue;
          ++running;
        }
        break;
      case CallState::running:
        break;
      case CallState::settled:
        continue;
    }
    all_settled_ahead = false;
    if (!call.safe) unsafe_ahead = true;
    if (call.tool != nullptr && call.tool->changes_mode()) mode_open = true;
  }
}

// The diff that a person is shown must be against what the file will be.
bool Executor::writes_same_file_ahead(const Call& call) const {
  const auto& cwd = setup_.conversation.cwd;
  const auto mine = call.tool->access(*call.input, cwd).writes;
  if (mine.empty()) return false;
  for (const auto& other : calls_) {
    if (&other == &call) return false;
    if (other.state == CallState::settled || other.input == nullptr || other.tool == nullptr ||
        other.state == CallState::streaming) {
      continue;
    }
    const auto theirs = other.tool->access(*other.input, cwd).writes;
    const bool common = std::any_of(mine.begin(), mine.end(), [&](const std::string& path) {
      return std::find(theirs.begin(), theirs.end(), path) != theirs.end();
    });
    if (common) return true;
  }
  return false;
}

void Executor::start_job(Call& call, bool may_run) {
  call.state = CallState::checking;
  call.holds_place = may_run;
  call.job = ++last_job_;
  call.judged_in = setup_.conversation.mode;
  platform::Files& disk = setup_.services.files;
  std::shared_ptr<platform::Files> kept;
  if (setup_.checkpoints) {
    kept = std::make_shared<CheckpointedFiles>(disk, setup_.checkpoints, call.id);
  }
  ToolJob job{
      .job = call.job,
      .tool = call.tool,
      .input = call.input,
      .context =
          {
              .session_id = setup_.session_id,
              .tool_use_id = call.id,
              .cwd = setup_.conversation.cwd,
              .workspace = setup_.conversation.workspace,
              .files = kept ? *kept : disk,
              .commands = setup_.services.commands,
              .read_set = *setup_.conversation.read_set,
              .gate = setup_.gate,
              .stop = call.stop.get_token(),
              .progress =
                  [tell = setup_.tell, id = call.job](platform::OutputStream stream,
                                                      std::string_view text) {
                    tell(CallProgress{id, stream, std::string(text)});
                  },
              .answers = call.answers.value_or(std::vector<QuestionAnswer>()),
              .mode = setup_.conversation.mode,
              .mode_before_plan = setup_.conversation.mode_before_plan,
          },
      .read_set = setup_.conversation.read_set,
      .journal = setup_.journal,
      .safe = call.safe,
      .files = kept,
      .mode = setup_.conversation.mode,
      .grants = grants_,
      .hooks = setup_.hooks,
      .hook_word = call.hook_word,
      .hooks_may_answer = !call.input_replaced,
      .may_run = may_run,
      .approved = call.approved,
      .tell = setup_.tell,
  };
  job.hooks.cwd = setup_.conversation.cwd;
  job.hooks.mode = setup_.conversation.mode;
  try {
    jobs_.start(std::move(job));
  } catch (const std::system_error& failure) {
    call.holds_place = false;
    settle_text(call, ToolStatus::failed, std::string(texts::kNoThread) + failure.what());
  }
}

// ---- ends --------------------------------------------------------------------------------------

void Executor::cancel() {
  cancelled_ = true;
  for (auto& call : calls_) {
    if (call.state == CallState::settled) continue;
    call.stop.request_stop();
    if (call.state == CallState::running || call.holds_place) continue;
    settle_text(call, ToolStatus::cancelled, std::string(texts::kNotRunInterrupted));
  }
}

std::vector<std::string> Executor::give_up() {
  std::vector<std::string> names;
  for (auto& call : calls_) {
    if (call.state == CallState::settled) continue;
    names.push_back(call.name + " (" + call.id + ")");
    settle_text(call, ToolStatus::cancelled, std::string(texts::kGaveUp));
  }
  left_behind().fetch_add(static_cast<int>(jobs_.give_up()));
  return names;
}

void Executor::settle_text(Call& call, ToolStatus status, std::string text) {
  settle(call, status, text_content(std::move(text)));
}

void Executor::settle(Call& call, ToolStatus status, std::vector<ToolContent> content,
                      Json details) {
  if (call.state == CallState::settled) return;
  if (call.state == CallState::awaiting_approval) {
    setup_.emit(ApprovalResolved{call.id, ApprovalDecision::deny, ApprovalBy::cancelled});
  }
  if (call.state == CallState::awaiting_answer) {
    setup_.emit(QuestionResolved{call.id, QuestionBy::cancelled});
  }
  call.state = CallState::settled;
  if (call.job != 0) call.stop.request_stop();  // a job that only looks has nothing to look for
  call.result = ToolResult{
      .tool_use_id = call.id,
      .name = call.name,
      .status = status,
      .is_error = status != ToolStatus::completed,
      .content = capped(std::move(content)),
      .details = std::move(details),
  };
  setup_.emit(call.result);
  call.result.details = nullptr;  // people have seen them; history keeps only the content
  if (status == ToolStatus::denied && !call.safe) cancel_behind(call);
}

// A failed command or a denied change makes what the model planned behind it doubtful.
void Executor::cancel_behind(const Call& failed) {
  const auto index = static_cast<std::size_t>(&failed - calls_.data());
  calls_[index].cancelled_ahead = true;  // also for calls of this reply still to come
  cancel_queued_from(index + 1, blocked_ ? texts::kBlocked : texts::kEarlierCallFailed);
}

void Executor::cancel_queued_from(std::size_t first, std::string_view text) {
  for (std::size_t i = first; i < calls_.size(); ++i) {
    Call& call = calls_[i];
    call.cancelled_ahead = true;
    const bool queued = call.state != CallState::streaming && call.state != CallState::running &&
                        call.state != CallState::settled && !call.holds_place;
    if (queued) settle_text(call, ToolStatus::cancelled, std::string(text));
  }
}

bool Executor::settled() const {
  return std::all_of(calls_.begin(), calls_.end(),
                     [](const Call& call) { return call.state == CallState::settled; });
}

bool Executor::any_began() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const Call& call) { return call.began; });
}

bool Executor::any_about_to_run() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const Call& call) {
    return call.state == CallState::checking && call.holds_place;
  });
}

std::vector<Block> Executor::results() const {
  std::vector<Block> results;
  results.reserve(calls_.size());
  for (const auto& call : calls_) {
    results.emplace_back(ToolResultBlock{call.id, call.result.content, call.result.is_error});
  }
  return results;
}

// ---- look-ups ----------------------------------------------------------------------------------

Call* Executor::by_block(int block) {
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const Call& call) { return call.block == block; });
  return found == calls_.end() ? nullptr : &*found;
}

Call* Executor::by_job(std::uint64_t job) {
  const auto found =
      std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) { return call.job == job; });
  return found == calls_.end() ? nullptr : &*found;
}

Call* Executor::by_id(const std::string& id) {
  const auto found =
      std::find_if(calls_.begin(), calls_.end(), [&](const Call& call) { return call.id == id; });
  return found == calls_.end() ? nullptr : &*found;
}

}  // namespace agentd::agent
