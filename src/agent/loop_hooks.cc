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

Json content_of(const Block& block) {
  std::string text;
  for (const ToolContent& part : std::get<ToolResultBlock>(block).content) {
    if (const auto* said = std::get_if<TextBlock>(&part)) text += said->text;
  }
  return {{"content", std::move(text)}};
}

}  // namespace

HookContext Loop::hook_context() const {
  return {options_.hooks,    options_.session_id,     options_.run_id,
          conversation_.cwd, conversation_.workspace, conversation_.mode};
}

hooks::MergedVerdict Loop::run_hooks(hooks::EventInput event) {
  const HookContext context = hook_context();
  auto input = context.with(std::move(event));
  if (cancelled_ || !context.has(hooks::event_of(input))) return {};
  hooks_done_.reset();
  hooks_stop_ = std::stop_source();
  std::thread thread([box = mailbox_, set = context.set, input = std::move(input),
                      &commands = services_.commands, stop = hooks_stop_.get_token()] {
    HooksDone done;
    try {
      done.outcomes = hooks::run(*set, input, commands, stop);
    } catch (const std::exception& failure) {
      log::error(std::string("running hooks failed: ") + failure.what());
    }
    box->push(std::move(done));
  });
  const Joined joined{thread, hooks_stop_};
  // Also after a cancel: they are being killed then, and end.
  while (!hooks_done_) {
    auto message = mailbox_->pop();
    if (!message) break;
    handle(std::move(*message));
  }
  if (!hooks_done_) return {};
  for (auto& record : hooks_done_->records) emit(HookRan{std::move(record), {}});
  for (auto* texts : {&hooks_done_->merged.system_messages, &hooks_done_->merged.notices}) {
    for (auto& text : *texts) emit(Notice{NoticeLevel::info, "hook_message", std::move(text)});
  }
  return std::exchange(hooks_done_, std::nullopt)->merged;
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
    auto start =
        run_hooks(hooks::SessionStartInput{hooks::SessionSource::startup, options_.model.name});
    conversation_.start_hooks_ran = !cancelled_;
    add_contexts(blocks, "SessionStart", std::move(start.contexts));
  }
  auto verdict = run_hooks(hooks::UserPromptSubmitInput{text_of(options_.prompt)});
  if (verdict.stop || verdict.block) {
    hook_reason_ = verdict.stop ? verdict.stop_reason : verdict.reason;
    return std::nullopt;
  }
  add_contexts(blocks, "UserPromptSubmit", std::move(verdict.contexts));
  return blocks;
}

// What is sent to a run that is going on is a prompt too.
bool Loop::hooks_let_through(const UserMessage& message) {
  const auto verdict = run_hooks(hooks::UserPromptSubmitInput{text_of(message.blocks)});
  if (!verdict.stop && !verdict.block) return true;
  const std::string& reason = verdict.stop ? verdict.stop_reason : verdict.reason;
  emit(Notice{NoticeLevel::warning, "message_refused",
              "A hook refuses a message" + (reason.empty() ? "." : ": " + reason)});
  return false;
}

// After the calls of a reply have settled: what is said goes behind their results.
void Loop::tell_hooks_of_batch() {
  batch_contexts_.clear();
  batch_stopped_ = false;
  hook_reason_.clear();
  if (cancelled_ || !reply_kept_ || !reply_.has_calls()) return;
  if (!hook_context().has(hooks::Event::post_tool_batch)) return;
  hooks::PostToolBatchInput batch;
  const auto results = executor_.results();
  std::size_t next = 0;
  for (const ReplyBlock& block : reply_.blocks()) {
    if (block.kind != model::BlockKind::tool_use || next == results.size()) continue;
    batch.tool_calls.push_back(
        {block.tool_name, block.input, block.tool_use_id, content_of(results[next++])});
  }
  auto verdict = run_hooks(std::move(batch));
  batch_stopped_ = verdict.stop || verdict.block;
  if (batch_stopped_) hook_reason_ = verdict.stop ? verdict.stop_reason : verdict.reason;
  add_contexts(batch_contexts_, "PostToolBatch", std::move(verdict.contexts));
}

// The last gate: only asked when nothing else is left to do.
Loop::StopHookWord Loop::ask_stop_hooks() {
  std::string said;
  for (const ReplyBlock& block : reply_.blocks()) {
    if (block.kind == model::BlockKind::text) said += block.text;
  }
  auto verdict = run_hooks(hooks::StopInput{spent_.stop_hook_blocked > 0, std::move(said)});
  const StopHookWord word{verdict.block && !verdict.stop, verdict.stop};
  hook_reason_ = verdict.stop ? verdict.stop_reason : verdict.reason;
  for (const std::string& context : verdict.contexts) hook_reason_ += "\n" + context;
  if (word.objects && spent_.stop_hook_blocked >= kMaxStopHookBlocked) {
    emit(Notice{NoticeLevel::warning, "stop_hook_ignored",
                "A Stop hook has objected " + std::to_string(kMaxStopHookBlocked) +
                    " times in this run; it ends all the same."});
  }
  return word;
}

}  // namespace agentd::agent
