#include "model/endpoint.h"

#include <mutex>
#include <utility>

#include "base/version.h"
#include "model/address.h"
#include "model/exchange.h"

namespace agentd::model {
namespace {

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

}  // namespace

// Transfers whose reply is whole but whose body has not closed yet. Dropping one at once would
// close a connection that the next turn can use; in nearly every case the close is already on its
// way. Kept a moment by the provider, which lives longer than any stream.
class Endpoint::Leavers {
 public:
  void add(std::shared_ptr<Exchange> exchange, std::unique_ptr<platform::Transfer> transfer) {
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
    std::shared_ptr<Exchange> exchange;
    std::unique_ptr<platform::Transfer> transfer;
  };
  std::mutex mutex_;
  std::vector<Leaver> leaving_;
};

class Endpoint::Stream final : public ModelStream {
 public:
  Stream(std::shared_ptr<Exchange> exchange, std::unique_ptr<platform::Transfer> transfer,
         std::shared_ptr<Leavers> leavers)
      : exchange_(std::move(exchange)),
        transfer_(std::move(transfer)),
        leavers_(std::move(leavers)) {}

  ~Stream() override {
    if (exchange_->abandon() == Exchange::Left::whole) {
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
  std::shared_ptr<Exchange> exchange_;
  std::unique_ptr<platform::Transfer> transfer_;
  std::shared_ptr<Leavers> leavers_;
};

Endpoint::Endpoint(EndpointOptions options, Clock& clock, platform::Http& http)
    : options_(std::move(options)),
      clock_(clock),
      http_(http),
      leavers_(std::make_shared<Leavers>()) {
  for (const char* header : {"content-type: application/json", "accept: text/event-stream"}) {
    options_.headers.emplace_back(header);
  }
  options_.headers.push_back("user-agent: agentd/" + std::string(version()));
}

std::unique_ptr<ModelStream> Endpoint::post(BodyPieces body, std::unique_ptr<ReplyDecoder> decoder,
                                            bool fresh_connection, OnModelEvents on_events) {
  platform::HttpRequest request;
  request.url = options_.url;
  request.headers = options_.headers;
  request.body = std::move(body);
  request.fresh_connection = fresh_connection;

  auto exchange = Exchange::start(clock_, options_.stalls, std::move(decoder),
                                  completing_failures(std::move(on_events)), host_of(options_.url));
  platform::HttpCallbacks callbacks;
  callbacks.on_head = [exchange](platform::HttpHead head) { exchange->head(std::move(head)); };
  callbacks.on_data = [exchange](std::string_view bytes) { exchange->data(bytes); };
  callbacks.on_end = [exchange](const platform::HttpFault* fault) { exchange->end(fault); };
  auto transfer = http_.post(std::move(request), std::move(callbacks));
  leavers_->sweep();
  return std::make_unique<Stream>(std::move(exchange), std::move(transfer), leavers_);
}

// An endpoint may echo the key in what it says about a failure, which goes to people and files.
OnModelEvents Endpoint::completing_failures(OnModelEvents on_events) const {
  return [on_events = std::move(on_events), key = options_.key,
          settings = options_.settings](ModelEvents events) {
    for (ModelEvent& event : events) {
      if (auto* failed = std::get_if<Failed>(&event)) {
        failed->failure.message = redacted(std::move(failed->failure.message), key);
        failed->failure.settings = settings;
      }
    }
    on_events(std::move(events));
  };
}

std::string url_below(std::string base_url, std::string_view path) {
  while (!base_url.empty() && base_url.back() == '/') base_url.pop_back();
  if (!base_url.ends_with("/v1")) base_url += "/v1";
  return base_url.append("/").append(path);
}

}  // namespace agentd::model
