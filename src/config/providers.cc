#include "config/providers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "platform/environment.h"
#include "wire/decode.h"

namespace agentd::config {
namespace {

constexpr std::size_t kLongestName = 64;

// They mean something else in a model's name.
constexpr std::array<std::string_view, 3> kTaken = {"anthropic", "demo", "script"};

bool is_name(std::string_view text) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), good);
}

Error fault(const std::string& where, const std::string& what) {
  return make_error(Code::invalid_input, where + ": " + what, where);
}

}  // namespace

Result<Provider> read_provider(const std::string& name, const wire::Json& json) {
  const std::string path = "providers." + name.substr(0, kLongestName);
  if (!is_name(name)) {
    return fault(path, "a provider's name has letters, digits, `_`, `-` and `.`, at most 64");
  }
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) {
    return fault(path, "that name is taken; choose another");
  }
  auto said = wire::decode<ProviderSettings>(json, path);
  if (!said) return said.error();
  Provider provider;
  provider.name = name;
  provider.base_url = std::move(said->base_url);
  provider.api_key_env = said->api_key_env.value_or("");
  provider.models = std::move(said->models).value_or(std::vector<std::string>());
  provider.think_tags = said->think_tags.value_or(false);
  provider.context_window = said->context_window.value_or(0);
  // Also what keeps a key from commands: they are given the variables of a list, and no others.
  if (!provider.api_key_env.empty() && platform::passes_to_children(provider.api_key_env)) {
    return fault(path + ".apiKeyEnv", "commands see the variable " + provider.api_key_env +
                                          ", so it cannot hold a key; choose another");
  }
  return provider;
}

}  // namespace agentd::config
