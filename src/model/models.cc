#include "model/models.h"

#include <algorithm>
#include <utility>

#include "model/address.h"
#include "model/anthropic.h"
#include "model/catalog.h"
#include "model/scripted.h"
#include "platform/files.h"

namespace agentd::model {
namespace {

constexpr std::string_view kAnthropicPrefix = "anthropic/";
constexpr std::string_view kScriptPrefix = "script:";
constexpr std::uint64_t kLargestScript = 4 * 1024 * 1024;

constexpr std::string_view kHowNamesAreWritten =
    "Write anthropic/NAME (for example anthropic/claude-sonnet-5-5), demo, or script:FILE.";

// Keys are pasted, often with the line's end.
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// They would end the header that the key stands in and begin another.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
}

}  // namespace

struct Models::State {
  std::string anthropic_key;
  std::string anthropic_base_url;
  std::string anthropic_base_url_from;
  Clock& clock;
  std::shared_ptr<Provider> anthropic;
  std::shared_ptr<Provider> demo;  // made when first asked for

  Result<ResolvedModel> resolve_anthropic(const std::string& name) const;
  Result<ResolvedModel> resolve_demo();
  Result<ResolvedModel> resolve_script(const std::string& name) const;
};

Models::Models(Credentials credentials, StallClocks stalls, Clock& clock, platform::Http& http)
    : state_(new State{trimmed(credentials.anthropic_key), trimmed(credentials.anthropic_base_url),
                       std::move(credentials.anthropic_base_url_from), clock, nullptr, nullptr}) {
  AnthropicOptions options;
  options.key = state_->anthropic_key;
  options.base_url = state_->anthropic_base_url;
  options.stalls = stalls;
  state_->anthropic = make_anthropic(std::move(options), clock, http);
}

Models::~Models() = default;

Result<ResolvedModel> Models::resolve(const std::string& name) {
  if (name == "demo") return state_->resolve_demo();
  if (name.starts_with(kScriptPrefix)) return state_->resolve_script(name);
  if (name.starts_with(kAnthropicPrefix)) return state_->resolve_anthropic(name);
  return make_error(Code::not_found,
                    "There is no model \"" + name + "\". " + std::string(kHowNamesAreWritten));
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
  listings.push_back({"demo", "demo", "Demo (built in, no network)", ModelFacts(), true});
  return listings;
}

Result<ResolvedModel> Models::State::resolve_anthropic(const std::string& name) const {
  const std::string model = name.substr(kAnthropicPrefix.size());
  if (model.empty()) {
    return make_error(Code::not_found,
                      "The model's name is missing. " + std::string(kHowNamesAreWritten));
  }
  if (anthropic_key.empty()) {
    return make_error(Code::unavailable, "There is no key for " + name +
                                             ": set ANTHROPIC_API_KEY in agentd's environment "
                                             "and start it again.");
  }
  if (has_control_characters(anthropic_key)) {
    return make_error(Code::unavailable,
                      "ANTHROPIC_API_KEY holds control characters (a line end, for example), so it "
                      "is not sent. Set the key alone and start agentd again.",
                      "ANTHROPIC_API_KEY");
  }
  // Not quoted in the message: a query may hold a secret.
  if (anthropic_base_url.find_first_of("?#") != std::string::npos) {
    return make_error(Code::unavailable,
                      anthropic_base_url_from +
                          " has a query or a fragment (? or #), behind which no path can be added",
                      anthropic_base_url_from);
  }
  if (!is_http_address(anthropic_base_url)) {
    return make_error(
        Code::unavailable,
        anthropic_base_url_from + " \"" + anthropic_base_url + "\" is not an http or https address",
        anthropic_base_url_from);
  }
  return ResolvedModel{name, "anthropic", model, anthropic_facts(model), anthropic};
}

Result<ResolvedModel> Models::State::resolve_demo() {
  if (!demo) {
    auto script = parse_script(demo_script());
    if (!script) return script.error();
    demo = make_scripted(std::move(*script), clock);
  }
  return ResolvedModel{"demo", "demo", "demo", ModelFacts(), demo};
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
  return ResolvedModel{name, name, name, ModelFacts(), make_scripted(std::move(*script), clock)};
}

}  // namespace agentd::model
