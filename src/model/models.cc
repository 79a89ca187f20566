#include "model/models.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "model/address.h"
#include "model/anthropic.h"
#include "model/catalog.h"
#include "model/openai_chat.h"
#include "model/scripted.h"
#include "platform/files.h"

namespace agentd::model {
namespace {

constexpr std::string_view kAnthropicPrefix = "anthropic/";
constexpr std::string_view kScriptPrefix = "script:";
const std::string kAnthropicKey = "ANTHROPIC_API_KEY";
constexpr std::uint64_t kLargestScript = 4 * 1024 * 1024;

constexpr std::string_view kHowNamesAreWritten =
    "Write anthropic/NAME (for example anthropic/claude-sonnet-5-5), openai-chat/NAME, "
    "ollama/NAME, PROVIDER/NAME for a provider in your settings, demo, or script:FILE.";

// They would end the header that the key stands in and begin another.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
}

Error name_missing() {
  return make_error(Code::not_found,
                    "The model's name is missing. " + std::string(kHowNamesAreWritten));
}

Error key_missing(const std::string& model, const std::string& variable) {
  return make_error(Code::unavailable, "There is no key for " + model + ": set " + variable +
                                           " in agentd's environment and start it again.");
}

// Both are `name` of a setting and its value.
using Setting = std::pair<const std::string&, const std::string&>;

Result<void> check_key(Setting key) {
  const auto& [variable, value] = key;
  if (!has_control_characters(value)) return {};
  return make_error(Code::unavailable,
                    variable +
                        " holds control characters (a line end, for example), so it "
                        "is not sent. Set the key alone and start agentd again.",
                    variable);
}

Result<void> check_address(Setting address) {
  const auto& [setting, value] = address;
  // Not quoted in the message: a query may hold a secret.
  if (value.find_first_of("?#") != std::string::npos) {
    return make_error(
        Code::unavailable,
        setting + " has a query or a fragment (? or #), behind which no path can be added",
        setting);
  }
  if (is_http_address(value)) return {};
  return make_error(Code::unavailable,
                    setting + " \"" + value + "\" is not an http or https address", setting);
}

OpenAiChatOptions options_of(const ChatEndpoint& endpoint, const StallClocks& stalls) {
  OpenAiChatOptions options;
  options.key = endpoint.key;
  options.base_url = endpoint.base_url;
  options.stalls = stalls;
  options.settings = {endpoint.key_from, endpoint.base_url_from};
  options.think_tags = endpoint.think_tags;
  return options;
}

bool is_usable(const ChatEndpoint& endpoint) {
  return !endpoint.key_wanted || !endpoint.key.empty();
}

}  // namespace

struct Models::State {
  struct Chat {
    ChatEndpoint endpoint;
    std::shared_ptr<Provider> provider;
  };

  std::string anthropic_key;
  std::string anthropic_base_url;
  std::string anthropic_base_url_from;
  Clock& clock;
  std::shared_ptr<Provider> anthropic;
  std::shared_ptr<Provider> demo;     // made when first asked for
  std::map<std::string, Chat> chats;  // by name
  std::shared_ptr<OutputLimits> output_limits = std::make_shared<OutputLimits>();

  Result<ResolvedModel> resolve(const std::string& name);
  Result<ResolvedModel> resolve_anthropic(const std::string& name) const;
  Result<ResolvedModel> resolve_chat(const std::string& name) const;
  Result<ResolvedModel> resolve_demo();
  Result<ResolvedModel> resolve_script(const std::string& name) const;
  void list_chat(const Chat& chat, std::vector<ModelListing>& listings) const;
};

// Keys are pasted, often with the line's end.
Models::Models(Credentials credentials, StallClocks stalls, Clock& clock, platform::Http& http)
    : state_(new State{std::string(ascii::trimmed(credentials.anthropic_key)),
                       std::string(ascii::trimmed(credentials.anthropic_base_url)),
                       std::move(credentials.anthropic_base_url_from),
                       clock,
                       nullptr,
                       nullptr,
                       {}}) {
  AnthropicOptions options;
  options.key = state_->anthropic_key;
  options.base_url = state_->anthropic_base_url;
  options.stalls = stalls;
  state_->anthropic = make_anthropic(std::move(options), clock, http);
  for (ChatEndpoint& endpoint : credentials.chat_endpoints) {
    endpoint.key = std::string(ascii::trimmed(endpoint.key));
    endpoint.base_url = std::string(ascii::trimmed(endpoint.base_url));
    auto provider = make_openai_chat(options_of(endpoint, stalls), clock, http);
    const std::string name = endpoint.name;
    state_->chats[name] = {std::move(endpoint), std::move(provider)};
  }
}

Models::~Models() = default;

Result<ResolvedModel> Models::resolve(const std::string& name) {
  auto model = state_->resolve(name);
  if (!model) return model;
  model->output_limits = state_->output_limits;
  model->facts = state_->output_limits->applied(name, model->facts);
  return model;
}

std::string Models::default_name() const {
  if (state_->anthropic_key.empty()) return "demo";
  return std::string(kAnthropicPrefix) + std::string(default_anthropic_model());
}

std::vector<ModelListing> Models::list() const {
  std::vector<ModelListing> listings;
  for (const CatalogEntry& entry : anthropic_models()) {
    listings.push_back({std::string(kAnthropicPrefix) + std::string(entry.model), "anthropic",
                        std::string(entry.display_name), entry.facts,
                        !state_->anthropic_key.empty()});
  }
  for (const auto& [name, chat] : state_->chats) state_->list_chat(chat, listings);
  listings.push_back({"demo", "demo", "Demo (built in, no network)", ModelFacts(), true});
  return listings;
}

// OpenAI's own where they are served, and what the settings name: what else an endpoint has only
// it could say.
void Models::State::list_chat(const Chat& chat, std::vector<ModelListing>& listings) const {
  const ChatEndpoint& endpoint = chat.endpoint;
  const auto add = [&](std::string_view model, std::string_view display_name) {
    listings.push_back({endpoint.name + "/" + std::string(model), endpoint.name,
                        std::string(display_name), openai_chat_facts(model), is_usable(endpoint)});
  };
  if (endpoint.base_url == kOpenAiBaseUrl) {
    for (const CatalogEntry& entry : openai_models()) add(entry.model, entry.display_name);
  }
  for (const std::string& model : endpoint.models) add(model, model);
}

Result<ResolvedModel> Models::State::resolve(const std::string& name) {
  if (name == "demo") return resolve_demo();
  if (name.starts_with(kScriptPrefix)) return resolve_script(name);
  if (name.starts_with(kAnthropicPrefix)) return resolve_anthropic(name);
  return resolve_chat(name);
}

Result<ResolvedModel> Models::State::resolve_anthropic(const std::string& name) const {
  const std::string model = name.substr(kAnthropicPrefix.size());
  if (model.empty()) return name_missing();
  if (anthropic_key.empty()) return key_missing(name, kAnthropicKey);
  if (const auto good = check_key({kAnthropicKey, anthropic_key}); !good) return good.error();
  if (const auto good = check_address({anthropic_base_url_from, anthropic_base_url}); !good) {
    return good.error();
  }
  return ResolvedModel{name, "anthropic", model, anthropic_facts(model), anthropic, {}};
}

Result<ResolvedModel> Models::State::resolve_chat(const std::string& name) const {
  const std::size_t slash = name.find('/');
  const auto found = chats.find(name.substr(0, slash));
  if (slash == std::string::npos || found == chats.end()) {
    return make_error(Code::not_found,
                      "There is no model \"" + name + "\". " + std::string(kHowNamesAreWritten));
  }
  const auto& [endpoint, provider] = found->second;
  const std::string model = name.substr(slash + 1);
  if (model.empty()) return name_missing();
  if (!is_usable(endpoint)) return key_missing(name, endpoint.key_from);
  if (const auto good = check_key({endpoint.key_from, endpoint.key}); !good) return good.error();
  if (const auto good = check_address({endpoint.base_url_from, endpoint.base_url}); !good) {
    return good.error();
  }
  return ResolvedModel{name, endpoint.name, model, openai_chat_facts(model), provider, {}};
}

Result<ResolvedModel> Models::State::resolve_demo() {
  if (!demo) {
    auto script = parse_script(demo_script());
    if (!script) return script.error();
    demo = make_scripted(std::move(*script), clock);
  }
  return ResolvedModel{"demo", "demo", "demo", ModelFacts(), demo, {}};
}

// Read anew each time: who writes a script starts the next run to try it.
Result<ResolvedModel> Models::State::resolve_script(const std::string& name) const {
  const std::string path = name.substr(kScriptPrefix.size());
  const auto text = platform::make_disk_files()->read(path, kLargestScript);
  if (!text) return text.error();
  auto script = parse_script(*text);
  if (!script) {
    Error error = script.error();
    error.message = path + ": " + error.message;
    error.where = path;
    return error;
  }
  return ResolvedModel{name, name, name, ModelFacts(), make_scripted(std::move(*script), clock),
                       {}};
}

}  // namespace agentd::model
