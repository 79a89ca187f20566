// Whether the links in a path are followed. A path that was judged is opened with Links::refuse: it
// was free of links then, so one that is there now was put there since. Blocks on the disk.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/result.h"

namespace agentd::platform {

enum class Links { follow, refuse };

/// As open(2) with O_CLOEXEC: a descriptor, or -1 and errno; ELOOP for a link that is refused.
int open_path(const std::string& path, int flags, Links links);

/// The same with Links::refuse, one component after another: for kernels without openat2.
int open_by_steps(const std::string& path, int flags);

/// As stat(2): 0, or -1 and errno.
int status_of(const std::string& path, struct stat& status, Links links);

/// errno_error, but a refused link is told as what it is.
Error path_error(std::string_view action, const std::string& path, int error_number, Links links);

}  // namespace agentd::platform
