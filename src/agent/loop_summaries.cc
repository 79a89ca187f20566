// A line for people about each finished batch of calls, beside the next turn. Run's thread.
#include <utility>

#include "agent/loop.h"

namespace agentd::agent {

// After a turn that goes on: the calls of its reply have their results.
void Loop::sum_up_batch() {
  if (!batch_summaries_.on() || !reply_.kept || !reply_.has_calls()) return;
  std::vector<FinishedCall> calls;
  const auto results = executor_.results();
  std::size_t next = 0;
  for (const ReplyBlock& block : reply_.blocks()) {
    if (block.kind != model::BlockKind::tool_use || next == results.size()) continue;
    const auto& result = std::get<ToolResultBlock>(results[next++]);
    calls.push_back({block.tool_use_id, block.tool_name, block.input, text_of(result.content),
                     result.is_error});
  }
  batch_summaries_.begin(reply_.text(), std::move(calls));
}

void Loop::on(SummaryArrived& arrived) {
  auto over = batch_summaries_.take(arrived.number, arrived.events);
  if (!over) return;
  note_tokens_spent(over->usage, over->prices);
  if (over->summary) emit(std::move(*over->summary));
  if (!over->fault.empty()) {
    emit(Notice{NoticeLevel::info, "tool_summary",
                "What tools did is no longer summed up in this run: " + over->fault});
  }
}

}  // namespace agentd::agent
