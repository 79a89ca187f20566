// The hooks that the loop itself runs, at the session's start, at a prompt, after a batch of calls,
// before a compaction, and before the run may end. Each time it waits for them, taking messages
// meanwhile; a cancel kills them. Run's thread.
#include <exception>
#include <stop_token>
#include <thread>
#include <utility>

#include "agent/loop.h"
#include "agent/texts.h"
#include "base/log.h"

namespace agentd::agent {
namespace {

std::string text_of(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks) {
    const auto* said = std::get_if<TextBlock>(&block);
    if (said != nullptr) text += (text.empty() ? "" : "\n") + said->text;
  }
  return text;
}

/// Whatever happens, the hooks' thread ends with the scope.
struct Joined {
  std::thread& thread;
  std::stop_source& stop;
  ~Joined() {
    stop.request_stop();
    thread.join();
  }
};

}  // namespace

HookContext Loop::hook_context() const {
  return {options_.hooks,    options_.session_id,     options_.run_id,
          conversation_.cwd, conversation_.workspace, conversation_.mode};
}

hooks::MergedVerdict Loop::run_hooks(hooks::EventInput event) {
  const HookContext context = hook_context();
  auto input = context.with(std::move(event));
  if (cancelled_ || !context.has(hooks::event_of(input))) return {};
  running_hooks_.done.reset();
  running_hooks_.stop = std::stop_source();
  const auto work = [box = mailbox_, set = context.set, input = std::move(input),
                     &commands = services_.commands, stop = running_hooks_.stop.get_token()] {
    HooksDone done;
    try {
      done.outcomes = hooks::run(*set, input, commands, stop);
    } catch (const std::exception& failure) {
      log::error(std::string("running hooks failed: ") + failure.what());
    } catch (...) {
      log::error("running hooks failed");
    }
    box->push(std::move(done));
  };
  std::thread thread;
  if (!start_thread(thread, "Hooks were not run", work)) return {};
  const Joined joined{thread, running_hooks_.stop};
  // Also after a cancel: they are being killed then, and end.
  while (!running_hooks_.done) {
    auto message = mailbox_->pop();
    if (!message) break;
    handle(std::move(*message));
  }
  if (!running_hooks_.done) return {};
  for (auto& record : running_hooks_.done->records) emit(HookRan{std::move(record), {}});
  auto ignored = not_yet_told(std::move(running_hooks_.done->ignored), conversation_.hooks_told_of);
  for (auto* texts : {&running_hooks_.done->merged.system_messages,
                      &running_hooks_.done->merged.notices, &ignored}) {
    for (auto& text : *texts) emit(Notice{NoticeLevel::info, "hook_message", std::move(text)});
  }
  return std::exchange(running_hooks_.done, std::nullopt)->merged;
}

void Loop::add_contexts(std::vector<Block>& blocks, std::string_view event,
                        std::vector<std::string> contexts) const {
  for (std::string& text : contexts) {
    blocks.emplace_back(TextBlock{context::wrapped(
        {context::AttachmentKind::hook_context, std::string(event), std::move(text)})});
  }
}

// SessionStart, once for a session; UserPromptSubmit, which may refuse the prompt: then nullopt,
// and the run ends.
std::optional<std::vector<Block>> Loop::contexts_for_prompt() {
  std::vector<Block> blocks;
  if (!conversation_.start_hooks_ran) {
    const auto source = conversation_.history.empty() ? hooks::SessionSource::startup
                                                      : hooks::SessionSource::resume;
    auto start = run_hooks(hooks::SessionStartInput{source, options_.model.name});
    conversation_.start_hooks_ran = !cancelled_;
    if (ends_run(start)) return std::nullopt;
    add_contexts(blocks, "SessionStart", std::move(start.contexts));
  }
  auto verdict = run_hooks(hooks::UserPromptSubmitInput{text_of(options_.prompt)});
  if (verdict.stop || verdict.block) {
    turn_hooks_.reason = verdict.stop ? verdict.stop_reason : verdict.reason;
    return std::nullopt;
  }
  add_contexts(blocks, "UserPromptSubmit", std::move(verdict.contexts));
  return blocks;
}

// `continue: false` means the run, whatever the event was about.
bool Loop::ends_run(const hooks::MergedVerdict& verdict) {
  if (!verdict.stop) return false;
  turn_hooks_.ends_run = true;
  turn_hooks_.reason = verdict.stop_reason;
  return true;
}

// What is sent to a run that is going on is a prompt too.
bool Loop::hooks_let_through(const UserMessage& message) {
  if (turn_hooks_.ends_run) return false;
  const auto verdict = run_hooks(hooks::UserPromptSubmitInput{text_of(message.blocks)});
  if (ends_run(verdict)) return false;
  if (!verdict.stop && !verdict.block) return true;
  const std::string& reason = verdict.stop ? verdict.stop_reason : verdict.reason;
  emit(Notice{NoticeLevel::warning, "message_refused",
              "A hook refuses a message" + (reason.empty() ? "." : ": " + reason)});
  return false;
}

// After the calls of a reply have settled, unless it leaves no trace or the user has cancelled:
// what is said goes behind their results.
void Loop::tell_hooks_of_batch() {
  turn_hooks_.batch_contexts.clear();
  turn_hooks_.batch_stopped = false;
  turn_hooks_.reason.clear();
  if (!hook_context().has(hooks::Event::post_tool_batch)) return;
  while (auto message = mailbox_->try_pop()) handle(std::move(*message));  // a cancel comes first
  if (cancelled_ || !reply_.kept || !reply_.has_calls()) return;
  if (discards_reply(decide(facts(), spent_, limits(reply_.failure)))) return;
  hooks::PostToolBatchInput batch;
  for (const FinishedCall& call : finished_calls()) {
    const Json response = {{"content", agentd::text_of(call.result.content)}};
    batch.tool_calls.push_back(
        {call.block->tool_name, call.block->input, call.block->tool_use_id, response});
  }
  auto verdict = run_hooks(std::move(batch));
  turn_hooks_.batch_stopped = verdict.stop || verdict.block;
  if (turn_hooks_.batch_stopped) {
    turn_hooks_.reason = verdict.stop ? verdict.stop_reason : verdict.reason;
  }
  add_contexts(turn_hooks_.batch_contexts, "PostToolBatch", std::move(verdict.contexts));
}

// The last gate: only asked when nothing else is left to do.
Loop::StopHookWord Loop::ask_stop_hooks() {
  auto verdict = run_hooks(hooks::StopInput{spent_.stop_hook_blocked > 0, reply_.text()});
  const StopHookWord word{verdict.block && !verdict.stop, verdict.stop};
  turn_hooks_.reason = verdict.stop ? verdict.stop_reason : verdict.reason;
  for (const std::string& context : verdict.contexts) turn_hooks_.reason += "\n" + context;
  if (word.objects && spent_.stop_hook_blocked >= kMaxStopHookBlocked) {
    emit(Notice{NoticeLevel::warning, "stop_hook_ignored",
                "A Stop hook has objected " + std::to_string(kMaxStopHookBlocked) +
                    " times in this run; it ends all the same."});
  }
  return word;
}

}  // namespace agentd::agent
