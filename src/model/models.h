// Models: from a model's name to the provider that serves it and the facts about it. Names are
// `provider/name`, `demo`, or `script:FILE`. Made once by server/, used by the reader thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/model_facts.h"
#include "model/output_limits.h"
#include "model/provider.h"
#include "platform/http.h"

namespace agentd::model {

struct ResolvedModel {
  std::string name;           // as clients see it: `anthropic/claude-opus-4-5`
  std::string provider_name;  // `anthropic`; EncoderCaches are valid within one
  std::string model;          // as the provider is told
  ModelFacts facts;
  std::shared_ptr<Provider> provider;
  std::shared_ptr<OutputLimits> output_limits;  // where what it refuses is to be kept; may be null
};

struct ModelListing {
  std::string name;
  std::string provider;
  std::string display_name;
  ModelFacts facts;
  bool available = false;  // a key is there, or none is needed
};

/// An endpoint that speaks Chat Completions; its models are `name/MODEL`.
struct ChatEndpoint {
  std::string name;                 // `openai-chat`, `ollama`, or the user's own
  std::string base_url;             // what stands before /chat/completions
  std::string base_url_from;        // the setting, for messages
  std::string key;                  // empty: none
  std::string key_from;             // the variable, for messages
  bool key_wanted = true;           // nothing is asked without it
  bool think_tags = false;          // reasoning stands in the text, between tags
  std::vector<std::string> models;  // to be listed, besides those of the catalog
};

/// OpenAI's own address.
inline constexpr std::string_view kOpenAiBaseUrl = "https://api.openai.com/v1";

/// Keys and base URLs: from the environment and the user's own settings, never from a project.
struct Credentials {
  std::string anthropic_key;  // empty: none
  std::string anthropic_base_url = "https://api.anthropic.com";
  std::string anthropic_base_url_from = "ANTHROPIC_BASE_URL";  // the setting, for messages
  std::vector<ChatEndpoint> chat_endpoints;                    // of one name the last counts
};

class Models {
 public:
  Models(Credentials credentials, StallClocks stalls, Clock& clock, platform::Http& http);
  ~Models();

  /// Error: not_found for an unknown name (telling how names are written), unavailable if the
  /// provider has no key (telling which variable to set) or its address is none (telling which
  /// setting is wrong; `where` names it).
  Result<ResolvedModel> resolve(const std::string& name);

  /// What is used when nobody names a model: Anthropic if it has a key, else `demo`.
  std::string default_name() const;

  std::vector<ModelListing> list() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agentd::model
