// What the executor's cases share: replies, the events that they look for, and an answer that is
// waited for.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "support/agent_rig.h"

namespace agentd::agent::executor_cases {

using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;
using model::StopReason;

inline tools::Outcome fine(const Json&, const tools::CallContext&) {
  return tools::text_outcome("fine");
}

inline model::ModelEvents done() {
  return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
}

inline auto use(const char* id, ToolUseState state) {
  return [id = std::string(id), state](const Event& event) {
    const auto* use = std::get_if<ToolUse>(&event);
    return use != nullptr && use->tool_use_id == id && use->state == state;
  };
}

inline auto result_of(const char* id) {
  return [id = std::string(id)](const Event& event) {
    const auto* result = std::get_if<ToolResult>(&event);
    return result != nullptr && result->tool_use_id == id;
  };
}

inline auto asked_for(const char* id) {
  return [id = std::string(id)](const Event& event) {
    const auto* asked = std::get_if<ApprovalRequested>(&event);
    return asked != nullptr && asked->tool_use_id == id;
  };
}

inline std::size_t position(AgentRig& rig, const std::function<bool(const Event&)>& match) {
  const auto events = rig.sink().events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (match(events[i])) return i;
  }
  FAIL("no such event");
  return 0;
}

inline ToolStatus status_of(AgentRig& rig, const std::string& id) {
  for (const auto& result : rig.sink().all<ToolResult>()) {
    if (result.tool_use_id == id) return result.status;
  }
  FAIL("no result for " << id);
  return ToolStatus::failed;
}

inline Result<void> answer(AgentRig& rig, ApprovalAnswer given) {
  std::mutex mutex;
  std::condition_variable called;
  std::optional<Result<void>> got;
  rig.run->approve(std::move(given), [&](Result<void> r) {
    std::lock_guard lock(mutex);
    got = std::move(r);
    called.notify_all();
  });
  std::unique_lock lock(mutex);
  REQUIRE(called.wait_for(lock, std::chrono::seconds(20), [&] { return got.has_value(); }));
  return *got;
}

}  // namespace agentd::agent::executor_cases
