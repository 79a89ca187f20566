// SessionExport: one session/export under way. It goes on page by page, so that what runs want
// stored comes in between. A file that was not finished is removed again. The store's thread does
// the pages; the reader thread has it before the first and after the last.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "platform/fd.h"
#include "protocol/sessions.h"
#include "session/store.h"

namespace agentd::server {

class SessionExport {
 public:
  explicit SessionExport(protocol::SessionExportParams params);
  ~SessionExport();
  SessionExport(const SessionExport&) = delete;
  SessionExport& operator=(const SessionExport&) = delete;

  /// The next page. False: that was all. Errors: not_found, conflict if there is a file of that
  /// name, too_large if the lines are too many for an answer, io.
  Result<bool> take_page(session::SessionStore& store);

  /// Once all is taken.
  protocol::SessionExportResult result();

  static constexpr std::size_t kInAnswer = 8 * 1024 * 1024;  // bytes

 private:
  Result<void> open();
  Result<void> write(std::vector<std::string> lines);
  Result<void> keep(std::vector<std::string> lines);

  protocol::SessionExportParams params_;
  session::ExportPosition at_;
  std::int64_t line_count_ = 0;
  platform::Fd file_;
  std::vector<std::string> lines_;  // without a file
  std::size_t bytes_ = 0;           // of them
  bool whole_ = false;
};

}  // namespace agentd::server
