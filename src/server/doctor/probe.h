// Collects the facts of `agentd doctor`: reads settings and directories, starts `rg --version` and
// `git --version`, asks endpoints. Changes nothing but that an empty list of processes and
// connections comes and goes. Blocks for a few seconds at most; the main thread.
#pragma once

#include <string>

#include "server/doctor/facts.h"
#include "server/engine.h"

namespace agentd::server::doctor {

struct ProbeOptions {
  std::string cwd;       // the workspace; empty: where we are
  bool offline = false;  // no endpoint is asked
};

Facts probe(const ProbeOptions& options, Engine& engine);

}  // namespace agentd::server::doctor
