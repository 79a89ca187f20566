#include "model/anthropic.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/version.h"
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

    auto exchange = AnthropicExchange::start(clock_, options_.stalls, std::move(on_events));
    platform::HttpCallbacks callbacks;
    callbacks.on_head = [exchange](platform::HttpHead head) { exchange->head(std::move(head)); };
    callbacks.on_data = [exchange](std::string_view bytes) { exchange->data(bytes); };
    callbacks.on_end = [exchange](const platform::HttpFault* fault) { exchange->end(fault); };
    auto transfer = http_.post(std::move(post), std::move(callbacks));
    leavers_->sweep();
    return std::make_unique<AnthropicStream>(std::move(exchange), std::move(transfer), leavers_);
  }

 private:
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
