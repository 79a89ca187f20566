// What the engine itself says to the model, in one place: results of calls that did not run, and
// the short user messages by which a run goes on. Plain sentences that tell what to do next.
#pragma once

#include <string>
#include <string_view>

namespace agentd::agent::texts {

inline constexpr std::string_view kInterrupted = "Interrupted by user.";
inline constexpr std::string_view kNotRunInterrupted =
    "Interrupted by user before this call ran. Nothing was done.";
inline constexpr std::string_view kUserInterrupted = "[The user interrupted the reply here.]";
inline constexpr std::string_view kStoppedMayHaveRun =
    "agentd was stopped while this call ran, so its result is lost. It may have run wholly, in "
    "part or not at all, and what it started may still be running: look at what is there before "
    "you do it again.";
inline constexpr std::string_view kStoppedNotRun =
    "Not run: agentd was stopped before this call began.";
inline constexpr std::string_view kStoppedHere =
    "[agentd was stopped in the middle of this reply.]";
inline constexpr std::string_view kEarlierCallFailed =
    "Not run: an earlier call of the same reply failed or was denied. Look at its result, then "
    "call again if this is still wanted.";
inline constexpr std::string_view kBlocked =
    "Not run: the user denied a call of this reply, and that ends the run.";
inline constexpr std::string_view kRepeated =
    "The model has made this very call in the turns before; it may be going in circles.";
inline constexpr std::string_view kBudgetLeft =
    "There is budget left for this task. Go on: check what you did, and do what is still missing "
    "or "
    "could be better. Do not repeat what you said.";
inline constexpr std::string_view kDiscarded =
    "Not run: the reply that asked for it broke off and is being asked for again.";
inline constexpr std::string_view kCutByLimit =
    "Not run: your reply reached its output limit inside this call, so its input is not complete. "
    "Make the call again; if the input is large, split it into smaller calls.";
inline constexpr std::string_view kCutByWindow =
    "Not run: the context window was full before this call was complete.";
inline constexpr std::string_view kCutByStream =
    "Not run: the connection broke before this call was complete. Make the call again if it is "
    "still needed.";
inline constexpr std::string_view kRefused = "Not run: the reply ended in a refusal.";
inline constexpr std::string_view kNobodyToAsk =
    "Denied: this call needs the user's approval, and nobody can be asked. Go on without it, or "
    "say what you would need.";
inline constexpr std::string_view kDeniedByUser =
    "Denied: the user does not want this call to run.";
inline constexpr std::string_view kPlanDenied =
    "The user does not agree to the plan yet. Plan mode goes on: change the plan and put it to "
    "them again, or ask what they want.";
inline constexpr std::string_view kPlanMode =
    "Plan mode is on: nothing may be changed and no command may run. Look at what you need, make a "
    "plan, and put it to the user with ExitPlanMode.";
inline constexpr std::string_view kQuestionRejected = "The user does not want to answer.";
inline constexpr std::string_view kNobodyToAnswer =
    "Nobody can answer. Go on with the best choice you can make, and say at the end what you would "
    "have asked.";
inline constexpr std::string_view kChangedSinceApproval =
    "Denied: what this call would touch changed after it was approved. Call again to be asked "
    "again.";
inline constexpr std::string_view kGaveUp =
    "Given up: the call did not stop when it was told to. It may still be running.";
inline constexpr std::string_view kCrashed = "The tool failed inside agentd (a bug): ";
inline constexpr std::string_view kNoThread =
    "Not run: the system gives agentd no more threads. Wait, then call again: ";
inline constexpr std::string_view kResume =
    "Your reply was cut off by the output limit. Go on exactly where it stopped; do not repeat "
    "what you said.";
inline constexpr std::string_view kResumeWindow =
    "Your reply was cut off because the context window was full. Go on exactly where it stopped; "
    "do "
    "not repeat what you said.";
inline constexpr std::string_view kNudge =
    "Your reply was empty. Go on with the task, or say that it is done.";

inline constexpr std::string_view kImageRefused =
    "[An image was here. The model's endpoint refused it, so it was taken out.]";

inline constexpr std::string_view kHookStopped = "Not run: a hook ended the run.";

inline std::string invalid_hook_input(std::string_view fault) {
  return "Not run: a hook changed the input of this call, and what it made does not fit the tool's "
         "schema: " +
         std::string(fault);
}

inline std::string plan_mode_over(std::string_view mode) {
  return "The user has ended plan mode; the permission mode is " + std::string(mode) + " now.";
}

inline std::string mode_after_plan(std::string_view mode) {
  return " If you allow it, the mode " + std::string(mode) + " holds again.";
}

inline std::string stop_hook(std::string_view reason) {
  return "Do not stop yet: a Stop hook of this session objects. It says: " + std::string(reason);
}

inline std::string unknown_tool(std::string_view name, std::string_view known) {
  if (known.empty()) return "There is no tool named `" + std::string(name) + "`, nor any other.";
  return "There is no tool named `" + std::string(name) +
         "`. Tools you can call: " + std::string(known) + ".";
}

inline std::string invalid_json(std::string_view fault) {
  return "Not run: the input of this call is not one JSON object (" + std::string(fault) +
         "). Make the call again with a valid JSON object.";
}

inline std::string invalid_input(std::string_view fault) {
  return "Not run: the input does not fit the tool's schema: " + std::string(fault) +
         ". Correct it and call again.";
}

}  // namespace agentd::agent::texts
