#include "hooks/output.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "hooks/ignored_members.h"
#include "hooks/output_json.h"
#include "platform/signal_name.h"
#include "wire/decode.h"
#include "wire/parse.h"

namespace agentd::hooks {
namespace {

using How = platform::CommandEnd::How;

constexpr std::size_t kMaxFaultCharacters = 500;

constexpr bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// Valid UTF-8 of at most `most` characters and a word about the rest.
std::string bounded(std::string_view text, std::size_t most) {
  std::string out = utf8::repaired(ascii::trimmed(text));
  if (out.size() <= most) return out;
  std::size_t characters = 0;
  std::size_t cut = out.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (begins_character(out[i]) && characters++ == most) cut = i;
  }
  if (characters <= most) return out;
  out.resize(cut);
  return out + "\n[... " + std::to_string(characters - most) + " characters left out ...]";
}

std::string for_model(std::string_view text) {
  return bounded(text, kMaxModelCharacters);
}

std::string with_reason(std::string fault, std::string_view standard_error) {
  const std::string said = bounded(standard_error, kMaxFaultCharacters);
  return said.empty() ? fault : std::move(fault) + ": " + said;
}

std::string seconds(std::chrono::milliseconds time) {
  const auto tenths = (time.count() + 50) / 100;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += '.' + std::to_string(tenths % 10);
  return text + " s";
}

std::string cannot_block(Event event) {
  return "objects, which a hook of " + std::string(to_string(event)) + " cannot";
}

bool takes_plain_text(Event event) {
  return event == Event::session_start || event == Event::user_prompt_submit;
}

PermissionDecision decision_of(SaidPermission said) {
  switch (said) {
    case SaidPermission::allow:
      return PermissionDecision::allow;
    case SaidPermission::deny:
      return PermissionDecision::deny;
    case SaidPermission::ask:
    case SaidPermission::defer:
      return PermissionDecision::ask;
  }
  return PermissionDecision::ask;
}

// The decision and its reason, unless a stricter one stands already.
void decide(HookVerdict& verdict, PermissionDecision decision, std::string_view reason) {
  if (verdict.permission && *verdict.permission > decision) return;
  verdict.permission = decision;
  verdict.reason = for_model(reason);
}

void object(HookVerdict& verdict, Event event, std::string_view reason) {
  if (block_effect(event) == BlockEffect::denies_call) {
    return decide(verdict, PermissionDecision::deny, reason);
  }
  verdict.block = true;
  verdict.reason = for_model(reason);
}

HookVerdict finished(HookVerdict verdict) {
  const bool objects = verdict.block || verdict.permission == PermissionDecision::deny;
  if (objects) verdict.outcome = HookOutcome::blocked;
  if (objects && verdict.reason.empty()) verdict.reason = "A hook objected and gave no reason.";
  return verdict;
}

// What the JSON says that this event has no place for; empty if nothing.
std::string misplaced(Event event, const HookJson& json) {
  if (json.decision == TopDecision::block && block_effect(event) == BlockEffect::nothing) {
    return cannot_block(event);
  }
  if (!json.specific) return {};
  const SpecificOutput& specific = *json.specific;
  if (specific.hook_event_name != event) {
    return "answered for " + std::string(to_string(specific.hook_event_name)) +
           " (hookEventName), but the event is " + std::string(to_string(event));
  }
  const char* key = nullptr;
  if (event != Event::pre_tool_use && specific.permission_decision) key = "permissionDecision";
  if (event != Event::pre_tool_use && specific.updated_input) key = "updatedInput";
  if (event != Event::permission_request && specific.decision) key = "decision";
  if (key == nullptr) return {};
  return std::string("gave hookSpecificOutput.") + key + ", which " +
         std::string(to_string(event)) + " does not have";
}

void take_request_decision(HookVerdict& verdict, RequestDecision decision) {
  const std::string_view message = decision.message ? *decision.message : std::string_view();
  if (decision.behavior == Behavior::allow) {
    decide(verdict, PermissionDecision::allow, message);
    verdict.updated_input = std::move(decision.updated_input);
    return;
  }
  decide(verdict, PermissionDecision::deny, message);
  if (decision.interrupt.value_or(false)) {
    verdict.stop = true;
    verdict.stop_reason = for_model(message);
  }
}

void take_specific(HookVerdict& verdict, Event event, SpecificOutput specific) {
  if (specific.permission_decision) {
    decide(verdict, decision_of(*specific.permission_decision),
           specific.permission_decision_reason.value_or(""));
  }
  verdict.updated_input = std::move(specific.updated_input);
  if (specific.additional_context && takes_context(event)) {
    verdict.context = for_model(*specific.additional_context);
  }
  if (specific.decision) take_request_decision(verdict, std::move(*specific.decision));
}

HookVerdict from_json(Event event, std::string_view text) {
  const auto parsed = wire::parse(utf8::repaired(text));
  if (!parsed) return broken("gave malformed JSON: " + parsed.error().message);
  auto json = wire::decode<HookJson>(*parsed, "");
  if (!json) return broken("gave JSON of the wrong shape: " + json.error().message);
  if (std::string fault = misplaced(event, *json); !fault.empty()) return broken(std::move(fault));

  HookVerdict verdict;
  if (json->decision == TopDecision::block) object(verdict, event, json->reason.value_or(""));
  if (json->decision == TopDecision::approve && event == Event::pre_tool_use) {
    decide(verdict, PermissionDecision::allow, json->reason.value_or(""));
  }
  if (json->specific) take_specific(verdict, event, std::move(*json->specific));
  if (json->go_on == false) {
    verdict.stop = true;
    verdict.stop_reason = for_model(json->stop_reason.value_or(""));
  }
  if (json->system_message) verdict.system_message = for_model(*json->system_message);
  verdict.ignored = ignored_members(event, *parsed);
  return finished(std::move(verdict));
}

HookVerdict from_plain_text(Event event, std::string_view text) {
  HookVerdict verdict;
  (takes_plain_text(event) ? verdict.context : verdict.shown) = for_model(text);
  return verdict;
}

HookVerdict succeeded(Event event, const platform::CapturedOutput& output) {
  const std::string_view text = ascii::trimmed(output.head);
  if (!text.starts_with('{')) return from_plain_text(event, text);
  if (output.skipped_bytes > 0) return broken("wrote more JSON than a hook may");
  return from_json(event, text);
}

// Whatever it says: an interpreter that does not find its script may exit with 2 as well, but its
// words could be the model's, quoted by a guard, and a guard must not be talked out of its no.
HookVerdict objected(Event event, std::string_view standard_error) {
  if (block_effect(event) == BlockEffect::nothing) {
    return broken(with_reason(cannot_block(event) + " (exit code 2)", standard_error));
  }
  HookVerdict verdict;
  object(verdict, event, standard_error);
  return finished(std::move(verdict));
}

HookVerdict exited(Event event, const platform::CommandEnd& end) {
  const std::string_view standard_error = end.standard_error.head;
  switch (end.exit_code) {
    case 0:
      return succeeded(event, end.standard_output);
    case 2:
      return objected(event, standard_error);
    case 126:
      return broken(with_reason("could not be executed (exit code 126)", standard_error));
    case 127:
      return broken(with_reason("was not found (exit code 127)", standard_error));
    default:
      return broken(
          with_reason("failed with exit code " + std::to_string(end.exit_code), standard_error));
  }
}

}  // namespace

bool takes_context(Event event) {
  switch (event) {
    case Event::session_start:
    case Event::user_prompt_submit:
    case Event::pre_tool_use:
    case Event::post_tool_use:
    case Event::post_tool_use_failure:
    case Event::post_tool_batch:
    case Event::stop:
      return true;
    case Event::session_end:
    case Event::permission_request:
    case Event::pre_compact:
      return false;
  }
  return false;
}

BlockEffect block_effect(Event event) {
  switch (event) {
    case Event::session_start:
    case Event::session_end:
    case Event::permission_request:
      return BlockEffect::nothing;
    case Event::pre_tool_use:
      return BlockEffect::denies_call;
    case Event::user_prompt_submit:
      return BlockEffect::erases_prompt;
    case Event::post_tool_use:
    case Event::post_tool_use_failure:
      return BlockEffect::tells_model;
    case Event::post_tool_batch:
      return BlockEffect::stops_run;
    case Event::pre_compact:
      return BlockEffect::forbids_compaction;
    case Event::stop:
      return BlockEffect::goes_on;
  }
  return BlockEffect::nothing;
}

HookVerdict read_verdict(Event event, const platform::CommandEnd& end) {
  switch (end.how) {
    case How::exited:
      return exited(event, end);
    case How::signalled:
      return broken("was killed by " + platform::signal_name(end.signal));
    case How::timed_out:
      return broken("timed out after " + seconds(end.duration) + " and was killed");
    case How::too_much_output:
      return broken("wrote without end and was killed");
    case How::cancelled:
      break;
  }
  HookVerdict verdict;
  verdict.outcome = HookOutcome::cancelled;
  return verdict;
}

HookVerdict broken(std::string fault) {
  HookVerdict verdict;
  verdict.outcome = HookOutcome::broken;
  verdict.shown = std::move(fault);
  return verdict;
}

}  // namespace agentd::hooks
