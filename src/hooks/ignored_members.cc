#include "hooks/ignored_members.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"
#include "hooks/output.h"
#include "hooks/output_json.h"
#include "wire/parse.h"

namespace agentd::hooks {
namespace {

constexpr std::size_t kMostTold = 5;
constexpr std::size_t kLongestKey = 64;  // bytes

// The keys of a declaration.
struct Keys {
  std::vector<std::string_view> list;

  template <class Owner, class Value>
  void operator()(std::string_view key, Value Owner::*, std::string_view,
                  const wire::Limits& = {}) {
    list.push_back(key);
  }
};

template <class Described>
const std::vector<std::string_view>& keys_of() {
  static const std::vector<std::string_view> keys = [] {
    Keys found;
    Described::fields(found);
    return std::move(found.list);
  }();
  return keys;
}

void add_unknown(const Json* object, const std::vector<std::string_view>& known,
                 const std::string& prefix, std::vector<std::string>& out) {
  if (object == nullptr || !object->is_object()) return;
  for (const auto& [key, value] : object->items()) {
    if (value.is_null() || out.size() == kMostTold) continue;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    out.push_back(prefix + std::string(utf8::head(key, kLongestKey)));
  }
}

}  // namespace

std::vector<std::string> ignored_members(Event event, const Json& answer) {
  std::vector<std::string> out;
  add_unknown(&answer, keys_of<HookJson>(), "", out);
  const Json* specific = wire::member(answer, "hookSpecificOutput");
  if (specific == nullptr) return out;
  add_unknown(specific, keys_of<SpecificOutput>(), "hookSpecificOutput.", out);
  add_unknown(wire::member(*specific, "decision"), keys_of<RequestDecision>(),
              "hookSpecificOutput.decision.", out);
  const bool no_reader = wire::member(*specific, "additionalContext") != nullptr &&
                         !takes_context(event) && out.size() < kMostTold;
  if (no_reader) out.emplace_back("hookSpecificOutput.additionalContext");
  return out;
}

}  // namespace agentd::hooks
