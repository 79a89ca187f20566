#include "hooks/settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/utf8.h"
#include "wire/parse.h"

namespace agentd::hooks {
namespace {

using Notices = std::vector<config::SettingsNotice>;

constexpr std::size_t kMostTold = 10;             // of one file
constexpr double kLongestTimeout = 24 * 60 * 60;  // seconds
constexpr double kLongestSessionEnd = 60;         // seconds: agentd waits for it to end

// Events of Claude Code at which nothing happens here.
constexpr std::array kForeignEvents = std::to_array<std::string_view>({
    "ConfigChange",      "CwdChanged",           "DirectoryAdded",  "Elicitation",
    "ElicitationResult", "FileChanged",          "MessageDisplay",  "InstructionsLoaded",
    "Notification",      "PostCompact",          "PostModelSwitch", "PermissionDenied",
    "PreModelSwitch",    "PreSkillShellCommand", "Setup",           "StopFailure",
    "SubagentStart",     "SubagentStop",         "TaskCompleted",   "TaskCreated",
    "TeammateIdle",      "WorktreeCreate",       "WorktreeRemove",  "UserPromptExpansion",
});
constexpr std::array kForeignTypes =
    std::to_array<std::string_view>({"agent", "http", "mcp_tool", "prompt"});

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string in_quotes(std::string_view text) {
  return '"' + std::string(utf8::head(text, 80)) + '"';
}

std::string expected(std::string_view what, const Json* got) {
  const std::string text = "expected " + std::string(what);
  if (got == nullptr) return text + "; it is missing";
  if (got->is_string()) return text + ", got " + in_quotes(got->get_ref<const std::string&>());
  return text + ", got " + got->type_name();
}

std::string element(const std::string& where, std::size_t index) {
  return where + "[" + std::to_string(index) + "]";
}

// Reads one document.
class Reader {
 public:
  Reader(const SettingsDocument& document, std::vector<Hook>& hooks)
      : document_(document), hooks_(hooks) {}

  void read() {
    const Json* events = wire::member(document_.json, "hooks");
    if (events == nullptr) return;
    if (!events->is_object()) return wrong("hooks", expected("an object", events));
    for (const auto& [name, groups] : events->items()) read_event(name, groups);
  }

  Notices notices() && {
    if (notices_.size() > kMostTold) {
      const std::size_t more = notices_.size() - kMostTold;
      notices_.resize(kMostTold);
      tell("settings_value", "hooks", "and " + std::to_string(more) + " more faults");
    }
    return std::move(notices_);
  }

 private:
  void read_event(const std::string& name, const Json& groups) {
    const std::string where = "hooks." + std::string(utf8::head(name, 80));
    const auto event = parse_event(name);
    if (!event && contains(kForeignEvents, name)) {
      return tell("settings_unsupported", where,
                  "agentd has no such event (Claude Code has); its hooks do not run");
    }
    if (!event) return tell("settings_unknown", where, "unknown event; its hooks do not run");
    if (!groups.is_array()) return wrong(where, expected("an array", &groups));
    for (std::size_t i = 0; i < groups.size(); ++i)
      read_group(*event, groups[i], element(where, i));
  }

  void read_group(Event event, const Json& group, const std::string& where) {
    if (!group.is_object()) return wrong(where, expected("an object", &group));
    // One that is broken where none means anything must not silence a guard of prompts.
    const Json* said = has_matchers(event) ? wire::member(group, "matcher") : nullptr;
    const auto matcher = read_matcher(said, where + ".matcher");
    if (!matcher) return;
    const Json* hooks = wire::member(group, "hooks");
    if (hooks == nullptr || !hooks->is_array()) {
      return wrong(where + ".hooks", expected("an array", hooks));
    }
    for (std::size_t i = 0; i < hooks->size(); ++i) {
      const std::string here = element(where + ".hooks", i);
      const Json& entry = (*hooks)[i];
      if (!is_supported(entry, here)) continue;
      auto hook = read_hook(event, entry, here);
      if (!hook) continue;
      hook->matcher = *matcher;
      hooks_.push_back(std::move(*hook));
    }
  }

  std::optional<Matcher> read_matcher(const Json* text, const std::string& where) {
    if (text == nullptr) return Matcher();
    if (!text->is_string()) {
      wrong(where, expected("a string", text) + "; its hooks do not run");
      return std::nullopt;
    }
    const auto& pattern = text->get_ref<const std::string&>();
    auto matcher = Matcher::parse(pattern);
    if (matcher) return std::move(*matcher);
    wrong(where, in_quotes(pattern) + " is no matcher: " + matcher.error().message +
                     "; its hooks do not run");
    return std::nullopt;
  }

  // Is it a hook of the kind that we run as it is meant? Tells if not.
  bool is_supported(const Json& entry, const std::string& where) {
    if (!entry.is_object()) {
      return refuse("settings_value", where, expected("an object", &entry));
    }
    const Json* type = wire::member(entry, "type");
    if (type == nullptr || !type->is_string()) {
      return refuse("settings_value", where + ".type", expected("\"command\"", type));
    }
    const auto& name = type->get_ref<const std::string&>();
    if (contains(kForeignTypes, name)) return unsupported(where + ".type", in_quotes(name));
    if (name != "command") {
      return refuse("settings_unknown", where + ".type",
                    "unknown type " + in_quotes(name) + "; the hook does not run");
    }
    if (wire::member(entry, "if") != nullptr) return unsupported(where + ".if", "a condition");
    for (const char* key : {"async", "asyncRewake", "once"}) {
      if (wire::boolean_member(entry, key) == true) {
        return unsupported(where + "." + key, std::string(key) + ": true");
      }
    }
    const auto shell = wire::string_member(entry, "shell");
    if (shell && *shell != "bash") return unsupported(where + ".shell", in_quotes(*shell));
    return true;
  }

  bool unsupported(const std::string& where, const std::string& what) {
    return refuse("settings_unsupported", where, what + " is not supported; the hook does not run");
  }
  bool refuse(const char* code, const std::string& where, const std::string& what) {
    tell(code, where, what);
    return false;
  }

  std::optional<Hook> read_hook(Event event, const Json& entry, const std::string& where) {
    const Json* command = wire::member(entry, "command");
    if (command == nullptr || !command->is_string()) {
      wrong(where + ".command", expected("a string", command) + "; the hook does not run");
      return std::nullopt;
    }
    Hook hook;
    hook.event = event;
    hook.origin = document_.path;
    hook.ignored_told = std::make_shared<std::atomic<bool>>(false);
    hook.command = command->get<std::string>();
    if (hook.command.find_first_not_of(" \t\r\n") == std::string::npos ||
        hook.command.find('\0') != std::string::npos) {
      wrong(where + ".command", "it is empty or contains a NUL; the hook does not run");
      return std::nullopt;
    }
    if (const Json* args = wire::member(entry, "args"); args != nullptr) {
      hook.args = read_args(*args, where + ".args");
      if (!hook.args) return std::nullopt;
    }
    hook.timeout = read_timeout(event, wire::member(entry, "timeout"), where + ".timeout");
    return hook;
  }

  std::optional<std::vector<std::string>> read_args(const Json& args, const std::string& where) {
    std::vector<std::string> list;
    const auto is_argument = [](const Json& each) {
      return each.is_string() && each.get_ref<const std::string&>().find('\0') == std::string::npos;
    };
    if (!args.is_array() || !std::all_of(args.begin(), args.end(), is_argument)) {
      wrong(where, "expected an array of strings; the hook does not run");
      return std::nullopt;
    }
    for (const Json& each : args) list.push_back(each.get<std::string>());
    return list;
  }

  std::chrono::milliseconds read_timeout(Event event, const Json* value, const std::string& where) {
    if (value == nullptr) return default_timeout(event);
    const double seconds = value->is_number() ? value->get<double>() : 0;
    if (!(seconds > 0)) {
      wrong(where, expected("a number of seconds above 0", value) + "; the usual one counts");
      return default_timeout(event);
    }
    const double longest = event == Event::session_end ? kLongestSessionEnd : kLongestTimeout;
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::ceil(std::min(seconds, longest) * 1000)));
  }

  void wrong(const std::string& where, const std::string& what) {
    tell("settings_value", where, what);
  }
  void tell(const char* code, const std::string& where, const std::string& what) {
    notices_.push_back({code, document_.path + ": " + where + ": " + what});
  }

  const SettingsDocument& document_;
  std::vector<Hook>& hooks_;
  Notices notices_;
};

void append(Notices& to, Notices from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// What the user's files and the project's say, each the last of them that says it.
struct Disabled {
  bool by_user = false;
  bool by_project = false;
};

Disabled read_disabled(const std::vector<SettingsDocument>& documents, bool trusted,
                       Notices& notices) {
  Disabled disabled;
  for (const SettingsDocument& document : documents) {
    if (document.from_project && !trusted) continue;
    const Json* said = wire::member(document.json, "disableAllHooks");
    if (said == nullptr) continue;
    if (said->is_boolean()) {
      (document.from_project ? disabled.by_project : disabled.by_user) = said->get<bool>();
    } else {
      notices.push_back({"settings_value",
                         document.path + ": disableAllHooks: " + expected("true or false", said)});
    }
  }
  return disabled;
}

}  // namespace

LoadedHooks load_hooks(const std::vector<SettingsDocument>& documents, bool trusted) {
  LoadedHooks loaded;
  const Disabled disabled = read_disabled(documents, trusted, loaded.notices);
  if (disabled.by_user) return loaded;
  for (const SettingsDocument& document : documents) {
    std::vector<Hook> hooks;
    Reader reader(document, hooks);
    reader.read();
    if (document.from_project && !trusted) {
      loaded.ignored += hooks.size();
      if (!hooks.empty()) loaded.ignored_files.push_back(document.path);
      continue;
    }
    if (document.from_project && disabled.by_project) continue;
    append(loaded.notices, std::move(reader).notices());
    std::move(hooks.begin(), hooks.end(), std::back_inserter(loaded.set.hooks));
  }
  return loaded;
}

}  // namespace agentd::hooks
