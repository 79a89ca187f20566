#include "property/random_hooks.h"

#include <array>
#include <csignal>
#include <optional>
#include <utility>

namespace agentd::test {
namespace {

using platform::CommandEnd;
using How = CommandEnd::How;

// What a hook does. One that is not made for an event is sometimes asked at it all the same.
enum class Behaviour {
  nothing,
  words,          // plain text
  context,        // for the model
  message,        // for the user
  allows,         //
  asks,           //
  denies,         //
  approves,       // in the older way
  blocks,         // in the older way
  objects,        // exit code 2
  stops,          // the whole run
  interrupts,     // the same, of a PermissionRequest
  changes_input,  //
  spoils_input,   // to one that the tool does not take
  fails,          // another exit code
  not_found,      //
  not_started,    //
  dies,           // by a signal
  floods,         //
  times_out,      //
  bad_json,       //
  wrong_event,    // answers for another event
  hangs,          // until it is killed
};

// Those that let a run go on stand here more than once.
constexpr std::array kBehaviours = {
    Behaviour::nothing,       Behaviour::nothing,       Behaviour::nothing,
    Behaviour::nothing,       Behaviour::words,         Behaviour::context,
    Behaviour::context,       Behaviour::message,       Behaviour::allows,
    Behaviour::allows,        Behaviour::asks,          Behaviour::denies,
    Behaviour::approves,      Behaviour::blocks,        Behaviour::objects,
    Behaviour::stops,         Behaviour::stops,         Behaviour::interrupts,
    Behaviour::changes_input, Behaviour::changes_input, Behaviour::spoils_input,
    Behaviour::fails,         Behaviour::not_found,     Behaviour::not_started,
    Behaviour::dies,          Behaviour::floods,        Behaviour::times_out,
    Behaviour::bad_json,      Behaviour::wrong_event,   Behaviour::hangs,
    Behaviour::hangs};

CommandEnd exited(int code, std::string out, std::string err = {}) {
  CommandEnd end;
  end.exit_code = code;
  end.standard_output.total_bytes = out.size();
  end.standard_output.head = std::move(out);
  end.standard_error.total_bytes = err.size();
  end.standard_error.head = std::move(err);
  return end;
}

CommandEnd ended(How how) {
  CommandEnd end;
  end.how = how;
  end.signal = how == How::signalled ? SIGSEGV : 0;
  end.standard_output.head = "{\"decision\":";
  return end;
}

CommandEnd says(const Json& json) {
  return exited(0, json.dump());
}

Json specific(const std::string& event, Json members) {
  members["hookEventName"] = event;
  return {{"hookSpecificOutput", std::move(members)}};
}

// Both of the ways in which an event can be answered about a call.
CommandEnd decides(const std::string& event, const std::string& word,
                   const std::optional<Json>& input = std::nullopt) {
  if (event == "PermissionRequest" && word != "ask") {
    Json decision = {{"behavior", word}};
    if (word == "deny") decision["message"] = "the hook says no";
    if (input) decision["updatedInput"] = *input;
    return says(specific(event, {{"decision", decision}}));
  }
  Json members = {{"permissionDecision", word}, {"permissionDecisionReason", "a hook"}};
  if (input) members["updatedInput"] = *input;
  return says(specific(event, std::move(members)));
}

Result<CommandEnd> outcome(Behaviour behaviour, const std::string& event) {
  switch (behaviour) {
    case Behaviour::nothing:
    case Behaviour::hangs:
      return exited(0, "");
    case Behaviour::words:
      return exited(0, "some words\n");
    case Behaviour::context:
      return says(specific(event, {{"additionalContext", "know \xF0\x9F\x98\x80 this"}}));
    case Behaviour::message:
      return says({{"systemMessage", "for the user"}});
    case Behaviour::allows:
      return decides(event, "allow");
    case Behaviour::asks:
      return decides(event, "ask");
    case Behaviour::denies:
      return decides(event, "deny");
    case Behaviour::approves:
      return says({{"decision", "approve"}});
    case Behaviour::blocks:
      return says({{"decision", "block"}, {"reason", "not like this"}});
    case Behaviour::objects:
      return exited(2, "{\"decision\":\"approve\"}", "not at all");
    case Behaviour::stops:
      return says({{"continue", false}, {"stopReason", "enough"}});
    case Behaviour::interrupts:
      return says(specific(event, {{"decision", {{"behavior", "deny"}, {"interrupt", true}}}}));
    case Behaviour::changes_input:
      return decides(event, "allow", Json{{"path", "changed"}, {"command", "changed"}});
    case Behaviour::spoils_input:
      return decides(event, "allow", Json{{"nothing", "useful"}});
    case Behaviour::fails:
      return exited(1, "{\"decision\":\"approve\"}", "a bug");
    case Behaviour::not_found:
      return exited(127, "", "no such program");
    case Behaviour::not_started:
      return make_error(Code::unavailable, "no processes left");
    case Behaviour::dies:
      return ended(How::signalled);
    case Behaviour::floods:
      return ended(How::too_much_output);
    case Behaviour::times_out:
      return ended(How::timed_out);
    case Behaviour::bad_json:
      return exited(0, "{\"continue\": fal");
    case Behaviour::wrong_event:
      return says(specific(event == "Stop" ? "PreToolUse" : "Stop", Json::object()));
  }
  return exited(0, "");
}

bool says_no(Behaviour behaviour) {
  return behaviour == Behaviour::denies || behaviour == Behaviour::blocks ||
         behaviour == Behaviour::objects || behaviour == Behaviour::stops;
}

// What a hook is told must be one object that says where it stands.
std::string fault_of(const Json& told) {
  if (!told.is_object()) return "a hook got no JSON object";
  for (const char* name : {"hook_event_name", "session_id", "cwd", "permission_mode"}) {
    if (!told.contains(name) || !told[name].is_string())
      return std::string("a hook got no ") + name;
  }
  return {};
}

}  // namespace

std::shared_ptr<const hooks::HookSet> RandomHooks::random_set(RandomMind& choice) {
  using hooks::Event;
  // The rarer an event is in a run, the more often it stands here.
  static constexpr std::array kEvents = {Event::session_start,
                                         Event::user_prompt_submit,
                                         Event::pre_tool_use,
                                         Event::pre_tool_use,
                                         Event::permission_request,
                                         Event::permission_request,
                                         Event::permission_request,
                                         Event::post_tool_use,
                                         Event::post_tool_use_failure,
                                         Event::post_tool_use_failure,
                                         Event::post_tool_use_failure,
                                         Event::post_tool_batch,
                                         Event::pre_compact,
                                         Event::pre_compact,
                                         Event::pre_compact,
                                         Event::stop,
                                         Event::stop};
  static constexpr std::array kMatchers = {"", "*", "Look", "Change|Command", "^C.*e$", "auto"};
  auto set = std::make_shared<hooks::HookSet>();
  const int count = 2 + choice.below(7);
  for (int i = 0; i < count; ++i) {
    hooks::Hook hook;
    hook.event = kEvents[static_cast<std::size_t>(choice.below(kEvents.size()))];
    const int matcher = choice.one_in(2) ? 0 : choice.below(kMatchers.size());
    hook.matcher = *hooks::Matcher::parse(kMatchers[static_cast<std::size_t>(matcher)]);
    hook.command = "hook " + std::to_string(i);
    hook.timeout = std::chrono::seconds(60);
    hook.origin = "settings.json";
    set->hooks.push_back(std::move(hook));
  }
  return set;
}

Result<CommandEnd> RandomHooks::run(platform::CommandSpec spec, std::stop_token stop) {
  const Json told = Json::parse(spec.stdin_text, nullptr, false);
  auto behaviour = Behaviour::nothing;
  {
    std::lock_guard lock(mutex_);
    ++started_;
    if (auto fault = fault_of(told); !fault.empty()) {
      faults_.push_back(std::move(fault));
      return exited(0, "");
    }
    behaviour = kBehaviours[static_cast<std::size_t>(source_.below(kBehaviours.size()))];
    if (told["hook_event_name"] == "PreToolUse" && says_no(behaviour)) {
      refused_.insert(told["tool_use_id"].get<std::string>());
    }
  }
  if (behaviour == Behaviour::hangs) return hang(std::move(stop));
  return outcome(behaviour, told["hook_event_name"].get<std::string>());
}

CommandEnd RandomHooks::hang(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  ++hangs_;
  hanging_.notify_all();
  hanging_.wait(lock, stop, [] { return false; });
  return ended(How::cancelled);
}

bool RandomHooks::wait_hanging(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!hanging_.wait(lock, stop, [this] { return hangs_ > 0; })) return false;
  --hangs_;
  return true;
}

std::set<std::string> RandomHooks::refused_calls() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

int RandomHooks::started() const {
  std::lock_guard lock(mutex_);
  return started_;
}

std::vector<std::string> RandomHooks::faults() const {
  std::lock_guard lock(mutex_);
  return faults_;
}

}  // namespace agentd::test
