#include "server/doctor/command_words.h"

#include <algorithm>
#include <array>
#include <optional>

namespace agentd::server::doctor {
namespace {

// What a shell understands by itself.
constexpr std::array kOfTheShell = std::to_array<std::string_view>({
    "!",      ".",     ":",       "[",        "[[",   "{",     "alias",  "builtin",
    "case",   "cd",    "command", "declare",  "echo", "eval",  "exec",   "exit",
    "export", "false", "for",     "function", "if",   "jobs",  "kill",   "let",
    "local",  "popd",  "printf",  "pushd",    "pwd",  "read",  "return", "select",
    "set",    "shift", "source",  "test",     "time", "trap",  "true",   "type",
    "ulimit", "umask", "unset",   "until",    "wait", "while",
});

constexpr std::array kInterpreters = std::to_array<std::string_view>(
    {"bash", "sh", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "lua"});

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The words up to the first character that means something else to a shell.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// Nullopt at the end, and from where the shell would have to think.
  std::optional<std::string> next() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
    std::string word;
    char quote = 0;
    std::size_t i = 0;
    for (; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          if (c == '\\' || (quote == '"' && c == '`')) return stop();
          word += c;
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|') {
        break;
      } else if (std::string_view("\\`()<>*?#").find(c) != std::string_view::npos) {
        return stop();
      } else {
        word += c;
      }
    }
    if (quote != 0 || word.empty()) return stop();
    const bool more = i < rest_.size() && (rest_[i] == ' ' || rest_[i] == '\t');
    rest_ = more ? rest_.substr(i) : std::string_view();
    return word;
  }

 private:
  std::nullopt_t stop() {
    rest_ = {};
    return std::nullopt;
  }

  std::string_view rest_;
};

// Nullopt if a variable is left that we do not know.
std::optional<std::string> expanded(std::string word, const std::string& project,
                                    const std::string& home) {
  for (const char* name : {"CLAUDE_PROJECT_DIR", "AGENTD_PROJECT_DIR"}) {
    replace_all(word, "${" + std::string(name) + "}", project);
    replace_all(word, "$" + std::string(name), project);
  }
  if (!home.empty()) {
    replace_all(word, "${HOME}", home);
    replace_all(word, "$HOME/", home + "/");
    if (word.starts_with("~/")) word.replace(0, 1, home);
  }
  if (word.find('$') != std::string::npos || word.starts_with('~')) return std::nullopt;
  return word;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// A script is a path; an option in front of it may mean anything.
void add_script(std::vector<std::string>& list, const std::string& program,
                const std::optional<std::string>& argument) {
  if (!argument || argument->starts_with('-')) return;
  if (!contains(kInterpreters, last_part(program))) return;
  if (argument->find('/') != std::string::npos) list.push_back(*argument);
}

}  // namespace

std::vector<std::string> needed(const hooks::Hook& hook, const std::string& project,
                                const std::string& home) {
  std::vector<std::string> list;
  if (hook.args) {  // no shell: as they stand
    list.push_back(hook.command);
    if (!hook.args->empty()) add_script(list, hook.command, hook.args->front());
    return list;
  }
  Words words(hook.command);
  auto word = words.next();
  while (word && is_assignment(*word)) word = words.next();
  if (!word || contains(kOfTheShell, *word)) return list;
  const auto program = expanded(*word, project, home);
  if (!program) return list;
  list.push_back(*program);
  if (auto argument = words.next()) add_script(list, *program, expanded(*argument, project, home));
  return list;
}

}  // namespace agentd::server::doctor
