// What the kernel says of a process under measurement.
#pragma once

#include <sys/types.h>

#include <string>

namespace agentd::bench {

/// A line `Name:   123 kB` of /proc/PID/status, in MB.
double status_megabytes(pid_t pid, const std::string& name);
/// CPU time of all its threads, in ms.
double cpu_milliseconds(pid_t pid);
/// How many open files and threads it has.
int open_files(pid_t pid);
int threads(pid_t pid);

}  // namespace agentd::bench
