// Providers: endpoints that a user's own settings add, by name:
//
//   "providers": {"gateway": {"api": "openai-chat", "baseUrl": "https://gate/v1",
//                             "apiKeyEnv": "GATE_KEY", "models": ["big"], "thinkTags": true}}
//
// Their models are `gateway/NAME`. Keys stay in the environment: a file names the variable. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings_file.h"

namespace agentd::config {

struct Provider {
  std::string name;
  std::string base_url;
  std::string api_key_env;          // empty: no key is wanted
  std::string api_key;              // empty: none there
  std::vector<std::string> models;  // to be listed
  bool think_tags = false;
  std::int64_t context_window = 0;  // tokens; 0: not said
  std::string origin;               // the file it stands in
};

/// One member of `providers`, without its key. Error: invalid_input, its message with the path of
/// the fault.
Result<Provider> read_provider(const std::string& name, const wire::Json& json);

}  // namespace agentd::config
