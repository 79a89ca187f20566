// `agentd doctor`: what is configured, what answers, what is missing, a line each with what to do
// about it. Starts no run and changes nothing.
#pragma once

#include <string>

namespace agentd::server {

struct DoctorOptions {
  std::string cwd;       // the workspace; empty: where we are
  bool offline = false;  // no endpoint is asked
  bool json = false;     // one object per line
};

/// Prints to standard output. Returns the exit code: 1 if anything failed.
int doctor_command(const DoctorOptions& options);

}  // namespace agentd::server
