// Where a shell ended: an EXIT trap writes the working directory of a `bash -c` into a temporary
// file, only if it is another one than it started in (a file costs half a millisecond). The trap
// changes neither exit code nor output, whatever the command is (comments, here-documents, `exit`,
// `set -e`, syntax errors). A command that sets its own EXIT trap or replaces the shell with exec
// leaves no report.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace agentd::tools {

class ShellCwd {
 public:
  ShellCwd();
  ~ShellCwd();  // removes the file, if there is one
  ShellCwd(const ShellCwd&) = delete;
  ShellCwd& operator=(const ShellCwd&) = delete;

  /// The argument vector that runs `command` and reports.
  std::vector<std::string> argv(const std::string& command) const;

  /// Descriptions of processes, for people: those that are still inside our wrapper without it.
  static std::vector<std::string> without_wrapper(std::vector<std::string> processes);

  /// After the shell has ended. Nullopt: where it began, or no report.
  std::optional<std::string> read() const;

 private:
  std::string path_;  // of the file the shell would make; nobody can guess it
};

}  // namespace agentd::tools
