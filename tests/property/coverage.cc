#include "property/coverage.h"

#include <string_view>

#include "hooks/output.h"

namespace agentd::test {
namespace {

using agent::Ending;
using agent::Transition;
using hooks::HookOutcome;

// The names of a closed set whose enumerators count up from 0.
template <class Enum>
std::vector<Enum> all_of() {
  std::vector<Enum> all;
  for (int i = 0; !to_string(static_cast<Enum>(i)).empty(); ++i)
    all.push_back(static_cast<Enum>(i));
  return all;
}

std::string_view name_of(HookOutcome outcome) {
  switch (outcome) {
    case HookOutcome::success:
      return "success";
    case HookOutcome::blocked:
      return "blocked";
    case HookOutcome::broken:
      return "broken";
    case HookOutcome::cancelled:
      return "cancelled";
  }
  return "";
}

std::string key(Transition transition) {
  return "transition " + std::string(to_string(transition));
}
std::string key(Ending ending) {
  return "ending " + std::string(to_string(ending));
}
std::string key(hooks::Event event, HookOutcome outcome) {
  return "hook " + std::string(to_string(event)) + " " + std::string(name_of(outcome));
}

// A bug of ours: the promise is that nothing brings it about.
bool by_chance(Ending ending) {
  return ending != Ending::internal_error;
}

bool by_chance(hooks::Event event, HookOutcome outcome) {
  // The server runs these, when a session is over.
  if (event == hooks::Event::session_end) return false;
  return outcome != HookOutcome::blocked || event != hooks::Event::session_start;
}

constexpr hooks::Event kLastHookEvent = hooks::Event::stop;
constexpr HookOutcome kLastHookOutcome = HookOutcome::cancelled;

}  // namespace

void Coverage::add(const std::vector<agent::Event>& events) {
  for (const auto& event : events) {
    if (const auto* turn = std::get_if<agent::TurnStarted>(&event)) {
      if (turn->transition) ++counts_[key(*turn->transition)];
    } else if (const auto* end = std::get_if<agent::RunEnded>(&event)) {
      ++counts_[key(end->ending)];
    } else if (const auto* hook = std::get_if<agent::HookRan>(&event)) {
      ++counts_[key(hook->record.event, hook->record.outcome)];
    }
  }
}

std::vector<std::string> Coverage::missed() const {
  std::vector<std::string> wanted;
  for (const Transition transition : all_of<Transition>()) wanted.push_back(key(transition));
  for (const Ending ending : all_of<Ending>()) {
    if (by_chance(ending)) wanted.push_back(key(ending));
  }
  for (int event = 0; event <= static_cast<int>(kLastHookEvent); ++event) {
    for (int outcome = 0; outcome <= static_cast<int>(kLastHookOutcome); ++outcome) {
      const auto which = static_cast<hooks::Event>(event);
      const auto how = static_cast<HookOutcome>(outcome);
      if (by_chance(which, how)) wanted.push_back(key(which, how));
    }
  }
  std::erase_if(wanted, [this](const std::string& name) { return counts_.count(name) > 0; });
  return wanted;
}

std::vector<std::string> Coverage::counted() const {
  std::vector<std::string> lines;
  for (const auto& [name, count] : counts_) lines.push_back(name + " " + std::to_string(count));
  return lines;
}

}  // namespace agentd::test
