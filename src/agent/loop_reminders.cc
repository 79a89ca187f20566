// What the model is told at a turn's start of how things stand with the session: that plan mode
// holds or is over, and its todo list where it seems to have been forgotten. Run's thread.
#include <iterator>
#include <utility>

#include "agent/loop.h"
#include "agent/texts.h"
#include "context/todo_text.h"

namespace agentd::agent {
namespace {

// A list that stood untouched for this many turns is shown, and again after as many more.
constexpr int kTurnsUntouched = 10;
constexpr std::int64_t kTodoTokens = 2'000;

}  // namespace

// Once for each turn.
std::vector<Block> Loop::reminders() {
  std::vector<Block> blocks;
  if (auto note = plan_mode_note(); !note.empty()) {
    blocks.emplace_back(
        TextBlock{context::wrapped({context::AttachmentKind::note, {}, std::move(note)})});
  }
  if (++conversation_.todos.turns_untouched <= kTurnsUntouched) return blocks;
  auto todos = todos_again();
  if (!todos) return blocks;
  auto rendered =
      context::render({std::move(*todos)}, kTodoTokens, conversation_.shown_attachments);
  announce(std::move(rendered.shown));
  std::move(rendered.blocks.begin(), rendered.blocks.end(), std::back_inserter(blocks));
  return blocks;
}

// Empty: the model knows already.
std::string Loop::plan_mode_note() {
  const bool holds = conversation_.mode == permission::Mode::plan;
  if (holds == conversation_.plan_mode_told) return {};
  conversation_.plan_mode_told = holds;
  return holds ? std::string(texts::kPlanMode)
               : texts::plan_mode_over(to_string(conversation_.mode));
}

// The open list, to be put before the model now.
std::optional<context::Attachment> Loop::todos_again() {
  auto attachment = context::todo_attachment(conversation_.todos.items);
  if (!attachment) return std::nullopt;
  conversation_.todos.turns_untouched = 0;
  return attachment;
}

}  // namespace agentd::agent
