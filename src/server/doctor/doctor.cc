#include "server/doctor/doctor.h"

#include <cstdio>

#include "server/doctor/checks.h"
#include "server/doctor/probe.h"
#include "server/exit_code.h"

namespace agentd::server {

int doctor_command(const DoctorOptions& options) {
  Engine engine;
  const auto findings = doctor::check(doctor::probe({options.cwd, options.offline}, engine));
  const std::string text = options.json ? doctor::as_json(findings) : doctor::as_lines(findings);
  std::fwrite(text.data(), 1, text.size(), stdout);
  const bool told = std::fflush(stdout) == 0;
  return told && !doctor::any_failed(findings) ? exit_code::kSuccess : exit_code::kError;
}

}  // namespace agentd::server
