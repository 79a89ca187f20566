#include "model/anthropic.h"

#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/version.h"
#include "model/address.h"
#include "model/anthropic_encoder.h"
#include "model/anthropic_exchange.h"

namespace agentd::model {
namespace {

// Transfers whose reply is whole but whose body has not closed yet. Dropping one at once would
// close a connection that the next turn can use; in nearly every case the close is already on its
// way. Kept a moment by the provider, which lives longer than any stream.
class Leavers {
 public:
  void add(std::shared_ptr<AnthropicExchange> exchange,
           std::unique_ptr<platform::Transfer> transfer) {
    std::lock_guard lock(mutex_);
    leaving_.push_back({std::move(exchange), std::move(transfer)});
  }

  // Drops those that have closed, and all but the newest few of those that have not.
  void sweep() {
    std::vector<Leaver> gone;  // destroyed without the lock: it may wait for the http thread
    std::lock_guard lock(mutex_);
    std::size_t open = 0;
    std::vector<Leaver> kept;
    for (auto leaver = leaving_.rbegin(); leaver != leaving_.rend(); ++leaver) {
      const bool keep = !leaver->exchange->closed() && open++ < kKept;
      (keep ? kept : gone).push_back(std::move(*leaver));
    }
    leaving_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

 private:
  static constexpr std::size_t kKept = 4;
  struct Leaver {
    std::shared_ptr<AnthropicExchange> exchange;
    std::unique_ptr<platform::Transfer> transfer;
  };
  std::mutex mutex_;
  std::vector<Leaver> leaving_;
};

// Without the key, and without a long beginning of it: messages are excerpts and may cut it off.
// What every key begins with (sk-ant-api03-) stays, and a word too short to be a secret.
std::string redacted(std::string message, std::string_view key) {
  constexpr std::size_t kShortestKey = 6;
  constexpr std::size_t kTellingBeginning = 18;
  if (key.size() < kShortestKey) return message;
  const std::string_view beginning = key.substr(0, kTellingBeginning);
  for (std::size_t at = message.find(beginning); at != std::string::npos;
       at = message.find(beginning, at)) {
    std::size_t length = beginning.size();
    while (length < key.size() && at + length < message.size() &&
           message[at + length] == key[length]) {
      ++length;
    }
    constexpr std::string_view kInstead = "[key]";
    message.replace(at, length, kInstead);
    at += kInstead.size();
  }
  return message;
}

class AnthropicStream final : public ModelStream {
 public:
  AnthropicStream(std::shared_ptr<AnthropicExchange> exchange,
                  std::unique_ptr<platform::Transfer> transfer, std::shared_ptr<Leavers> leavers)
      : exchange_(std::move(exchange)),
        transfer_(std::move(transfer)),
        leavers_(std::move(leavers)) {}

  ~AnthropicStream() override {
    if (exchange_->abandon() == AnthropicExchange::Left::whole) {
      leavers_->add(exchange_, std::move(transfer_));
    }
  }

  void pause() override {
    exchange_->pause();
    transfer_->pause();
  }
  void resume() override {
    exchange_->resume();
    transfer_->resume();
  }

 private:
  std::shared_ptr<AnthropicExchange> exchange_;
  std::unique_ptr<platform::Transfer> transfer_;
  std::shared_ptr<Leavers> leavers_;
};

class Anthropic final : public Provider {
 public:
  Anthropic(AnthropicOptions options, Clock& clock, platform::Http& http)
      : options_(std::move(options)),
        url_(messages_url(options_.base_url)),
        clock_(clock),
        http_(http) {}

  std::unique_ptr<EncoderCache> make_cache() const override {
    return std::make_unique<AnthropicEncoderCache>();
  }

  std::unique_ptr<ModelStream> send(const ModelRequest& request, EncoderCache& cache,
                                    OnModelEvents on_events) override {
    platform::HttpRequest post;
    post.url = url_;
    post.headers = headers();
    post.body = static_cast<AnthropicEncoderCache&>(cache).encode(request);
    post.fresh_connection = request.fresh_connection;

    auto exchange = AnthropicExchange::start(clock_, options_.stalls,
                                             without_key(std::move(on_events)), host_of(url_));
    platform::HttpCallbacks callbacks;
    callbacks.on_head = [exchange](platform::HttpHead head) { exchange->head(std::move(head)); };
    callbacks.on_data = [exchange](std::string_view bytes) { exchange->data(bytes); };
    callbacks.on_end = [exchange](const platform::HttpFault* fault) { exchange->end(fault); };
    auto transfer = http_.post(std::move(post), std::move(callbacks));
    leavers_->sweep();
    return std::make_unique<AnthropicStream>(std::move(exchange), std::move(transfer), leavers_);
  }

 private:
  // An endpoint may echo the key in what it says about a failure, which goes to people and files.
  OnModelEvents without_key(OnModelEvents on_events) const {
    return [on_events = std::move(on_events), key = options_.key](ModelEvents events) {
      for (ModelEvent& event : events) {
        if (auto* failed = std::get_if<Failed>(&event)) {
          failed->failure.message = redacted(std::move(failed->failure.message), key);
        }
      }
      on_events(std::move(events));
    };
  }

  std::vector<std::string> headers() const {
    return {"content-type: application/json", "accept: text/event-stream",
            "anthropic-version: 2023-06-01", "x-api-key: " + options_.key,
            "user-agent: agentd/" + std::string(version())};
  }

  AnthropicOptions options_;
  std::string url_;
  Clock& clock_;
  platform::Http& http_;
  std::shared_ptr<Leavers> leavers_ = std::make_shared<Leavers>();
};

}  // namespace

std::shared_ptr<Provider> make_anthropic(AnthropicOptions options, Clock& clock,
                                         platform::Http& http) {
  return std::make_shared<Anthropic>(std::move(options), clock, http);
}

std::string messages_url(std::string base_url) {
  while (!base_url.empty() && base_url.back() == '/') base_url.pop_back();
  return base_url + (base_url.ends_with("/v1") ? "/messages" : "/v1/messages");
}

}  // namespace agentd::model
