#include "model/openai_chat.h"

#include <mutex>
#include <utility>

#include "model/address.h"
#include "model/endpoint.h"
#include "model/openai_chat_decoder.h"
#include "model/openai_chat_dialect.h"
#include "model/openai_chat_encoder.h"

namespace agentd::model {
namespace {

constexpr std::string_view kCompletions = "/chat/completions";

EndpointOptions endpoint_options(OpenAiChatOptions options) {
  EndpointOptions out;
  out.url = chat_completions_url(std::move(options.base_url));
  if (!options.key.empty()) out.headers = {"authorization: Bearer " + options.key};
  out.key = std::move(options.key);
  out.settings = std::move(options.settings);
  out.stalls = options.stalls;
  return out;
}

// What is known of the endpoint. Read on the threads of runs, learnt on the http thread.
class Learnt {
 public:
  explicit Learnt(ChatDialect dialect) : dialect_(dialect) {}

  ChatDialect dialect() const {
    std::lock_guard lock(mutex_);
    return dialect_;
  }

  void saw_reasoning(ReasoningMember member) {
    std::lock_guard lock(mutex_);
    if (member != ReasoningMember::none && !reasoning_refused_) dialect_.reasoning = member;
  }

  // True if the request, written with `used`, is worth making again.
  bool take_refusal(const ChatDialect& used, const ModelFailure& refusal) {
    const auto next = dialect_after(used, refusal);
    if (!next) return false;
    std::lock_guard lock(mutex_);
    if (next->reasoning != used.reasoning) reasoning_refused_ = true;
    dialect_ = *next;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  ChatDialect dialect_;
  bool reasoning_refused_ = false;  // it sends some and does not take it back
};

class OpenAiChat final : public Provider {
 public:
  OpenAiChat(OpenAiChatOptions options, Clock& clock, platform::Http& http)
      : think_tags_(options.think_tags),
        endpoint_(endpoint_options(std::move(options)), clock, http),
        learnt_(std::make_shared<Learnt>(dialect_of_host(host_of(endpoint_.url())))) {}

  std::unique_ptr<EncoderCache> make_cache() const override {
    return std::make_unique<OpenAiChatEncoderCache>();
  }

  std::unique_ptr<ModelStream> send(const ModelRequest& request, EncoderCache& cache,
                                    OnModelEvents on_events) override {
    const ChatDialect used = learnt_->dialect();
    OpenAiChatDecoderOptions reading;
    reading.think_tags = think_tags_;
    reading.on_reasoning = [learnt = learnt_](ReasoningMember member) {
      learnt->saw_reasoning(member);
    };
    return endpoint_.post(static_cast<OpenAiChatEncoderCache&>(cache).encode(request, used),
                          std::make_unique<OpenAiChatDecoder>(std::move(reading)),
                          request.fresh_connection, learning(used, std::move(on_events)));
  }

 private:
  OnModelEvents learning(const ChatDialect& used, OnModelEvents on_events) const {
    return [learnt = learnt_, used, on_events = std::move(on_events)](ModelEvents events) {
      if (!events.empty()) {
        auto* failed = std::get_if<Failed>(&events.back());
        if (failed != nullptr && learnt->take_refusal(used, failed->failure)) {
          failed->failure.should_retry = true;
        }
      }
      on_events(std::move(events));
    };
  }

  bool think_tags_;
  Endpoint endpoint_;
  std::shared_ptr<Learnt> learnt_;
};

}  // namespace

std::shared_ptr<Provider> make_openai_chat(OpenAiChatOptions options, Clock& clock,
                                           platform::Http& http) {
  return std::make_shared<OpenAiChat>(std::move(options), clock, http);
}

std::string chat_completions_url(std::string base_url) {
  while (!base_url.empty() && base_url.back() == '/') base_url.pop_back();
  return base_url.ends_with(kCompletions) ? base_url : base_url.append(kCompletions);
}

std::string chat_models_url(std::string base_url) {
  std::string url = chat_completions_url(std::move(base_url));
  url.resize(url.size() - kCompletions.size());
  return url.append("/models");
}

}  // namespace agentd::model
