// The checks of `agentd doctor`: facts to findings. Pure; tests/unit/server/doctor has the tables.
#pragma once

#include "server/doctor/facts.h"
#include "server/doctor/finding.h"

namespace agentd::server::doctor {

/// All of them, in the order in which they are printed.
Findings check(const Facts& facts);

// One subject each.
Findings check_settings(const SettingsFact& settings);
Finding check_model(const ModelFact& model);
Findings check_workspace(const WorkspaceFact& workspace);
Finding check_key(const KeyFact& key);
Finding check_endpoint(const EndpointFact& endpoint, const std::string& model);
Finding check_program(const ProgramFact& program);
Findings check_hooks(const std::vector<HookFact>& hooks);
Finding check_directory(const DirectoryFact& directory);
Finding check_network(const NetworkFact& network);

}  // namespace agentd::server::doctor
