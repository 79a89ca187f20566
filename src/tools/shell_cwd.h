// Where a shell ended: the working directory of a `bash -c`, written by an EXIT trap into a
// private temporary file. The trap changes neither exit code nor output, whatever the command is
// (comments, here-documents, `exit`, `set -e`, syntax errors). A command that sets its own EXIT
// trap or replaces the shell with exec leaves no report.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace agentd::tools {

class ShellCwd {
 public:
  ShellCwd();   // creates the file
  ~ShellCwd();  // removes it
  ShellCwd(const ShellCwd&) = delete;
  ShellCwd& operator=(const ShellCwd&) = delete;

  /// The argument vector that runs `command` and reports.
  std::vector<std::string> argv(const std::string& command) const;

  /// After the shell has ended. Nullopt: no report.
  std::optional<std::string> read() const;

 private:
  std::string path_;  // "" if no file could be made: then nothing is reported
};

}  // namespace agentd::tools
