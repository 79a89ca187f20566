#include "server/session_export.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "platform/errno_error.h"

namespace agentd::server {

SessionExport::SessionExport(protocol::SessionExportParams params) : params_(std::move(params)) {}

SessionExport::~SessionExport() {
  if (file_.valid() && !whole_) ::unlink(params_.path->c_str());
}

Result<bool> SessionExport::take_page(session::SessionStore& store) {
  auto page = store.export_lines(params_.session_id, at_);
  if (!page) return page.error();
  whole_ = page->empty();
  if (whole_) return false;
  line_count_ += static_cast<std::int64_t>(page->size());
  auto taken = params_.path ? write(std::move(*page)) : keep(std::move(*page));
  if (!taken) return taken.error();
  return true;
}

// Only once there is something to write: a session that is not there leaves no file.
Result<void> SessionExport::open() {
  if (file_.valid()) return {};
  const int fd = ::open(params_.path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) {
    file_ = platform::Fd(fd);
    return {};
  }
  Error fault = platform::errno_error("create", *params_.path, errno);
  if (errno == EEXIST) fault.code = Code::conflict;
  fault.where = "params.path";
  return fault;
}

Result<void> SessionExport::write(std::vector<std::string> lines) {
  auto opened = open();
  if (!opened) return opened;
  std::string text;
  for (const std::string& line : lines) (text += line) += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = ::write(file_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return platform::errno_error("write", *params_.path, errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> SessionExport::keep(std::vector<std::string> lines) {
  for (std::string& line : lines) {
    bytes_ += line.size();
    lines_.push_back(std::move(line));
  }
  if (bytes_ <= kInAnswer) return {};
  return make_error(Code::too_large,
                    "the session is too long for an answer: give a path to write it to",
                    "params.path");
}

protocol::SessionExportResult SessionExport::result() {
  protocol::SessionExportResult result;
  result.line_count = line_count_;
  if (params_.path) {
    result.path = params_.path;
  } else {
    result.lines = std::move(lines_);
  }
  return result;
}

}  // namespace agentd::server
