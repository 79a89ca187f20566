// A line for people about each finished batch of calls, beside the next turn. Run's thread.
#include <utility>

#include "agent/loop.h"

namespace agentd::agent {

// The calls of the reply, which have settled, in block order.
std::vector<FinishedCall> Loop::finished_calls() const {
  std::vector<FinishedCall> calls;
  auto results = executor_.results();
  std::size_t next = 0;
  for (const ReplyBlock& block : reply_.blocks()) {
    if (block.kind != model::BlockKind::tool_use || next == results.size()) continue;
    calls.push_back({&block, std::get<ToolResultBlock>(std::move(results[next++]))});
  }
  return calls;
}

// After a turn that goes on.
void Loop::sum_up_batch() {
  if (!batch_summaries_.on() || !reply_.kept || !reply_.has_calls()) return;
  std::vector<SummedCall> calls;
  for (const FinishedCall& call : finished_calls()) {
    calls.push_back({call.block->tool_use_id, call.block->tool_name, call.block->input,
                     text_of(call.result.content), call.result.is_error});
  }
  batch_summaries_.begin(reply_.text(), std::move(calls));
}

void Loop::on(BatchSummaryArrived& arrived) {
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
