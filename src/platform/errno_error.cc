#include "platform/errno_error.h"

#include <cerrno>
#include <system_error>

namespace agentd::platform {
namespace {

Code code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return Code::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::permission_denied;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return Code::invalid_input;
    case EFBIG:
      return Code::too_large;
    default:
      return Code::io;
  }
}

}  // namespace

Error errno_error(std::string_view action, const std::string& subject, int error_number) {
  std::string message = "cannot ";
  message += action;
  message += ' ';
  message += subject;
  message += ": ";
  message += std::generic_category().message(error_number);
  return make_error(code_of(error_number), std::move(message), subject);
}

}  // namespace agentd::platform
