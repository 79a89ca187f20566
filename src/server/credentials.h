// Settings to what models need of them: keys, addresses, providers. Pure.
#pragma once

#include "config/settings.h"
#include "model/models.h"

namespace agentd::server {

/// OpenAI's endpoint and Ollama's come first, the user's own last: they win over ours of one name.
model::Credentials credentials(const config::Settings& settings);

}  // namespace agentd::server
