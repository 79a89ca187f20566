// The http thread: one curl multi handle, driven by curl_multi_poll; other threads leave orders in
// a list and wake it. Thread and library start with the first request.
#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/curl_library.h"
#include "platform/curl_transfer.h"
#include "platform/http.h"

namespace agentd::platform {
namespace {

class Engine {
 public:
  enum class Order { start, update_pause, cancel };
  void give(Order order, std::shared_ptr<CurlTransfer> transfer);
  void stop();

 private:
  void run();
  void serve(const CurlLibrary& curl);
  void end_all(const CurlLibrary& curl);
  void refuse_all(const std::string& reason);
  bool carry_out_orders(const CurlLibrary& curl);
  void start(const CurlLibrary& curl, const std::shared_ptr<CurlTransfer>& transfer);
  void remove(const CurlLibrary& curl, const std::shared_ptr<CurlTransfer>& transfer);
  void report_ended(const CurlLibrary& curl);

  std::mutex mutex_;
  std::condition_variable arrived_;  // waited for only where there is no curl to wait in
  std::vector<std::pair<Order, std::shared_ptr<CurlTransfer>>> orders_;  // under mutex_
  bool stopping_ = false;                                                // under mutex_
  CURLM* to_wake_ = nullptr;           // under mutex_: set while the thread serves
  const CurlLibrary* curl_ = nullptr;  // set with to_wake_
  std::thread thread_;                 // under mutex_ until stop()

  CURLM* multi_ = nullptr;  // http thread, as is the following
  std::unordered_map<CurlTransfer*, std::shared_ptr<CurlTransfer>> active_;
};

void Engine::give(Order order, std::shared_ptr<CurlTransfer> transfer) {
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  orders_.emplace_back(order, std::move(transfer));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  // Under the lock, as the multi handle must not go away meanwhile; a wakeup is one small write.
  if (to_wake_ != nullptr) curl_->multi_wakeup(to_wake_);
  arrived_.notify_one();
}

void Engine::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    if (to_wake_ != nullptr) curl_->multi_wakeup(to_wake_);
    arrived_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Engine::run() {
  pthread_setname_np(pthread_self(), "http");
  sigset_t all{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);  // signals are the io thread's
  const auto curl = curl_library();
  if (!curl) return refuse_all(curl.error().message);
  multi_ = (*curl)->multi_init();
  if (multi_ == nullptr) return refuse_all("curl has no memory");
  {
    std::lock_guard lock(mutex_);
    curl_ = *curl;
    to_wake_ = multi_;
  }
  serve(**curl);
  end_all(**curl);
  (*curl)->multi_cleanup(multi_);
}

// Whoever still waits is told; what was not begun too.
void Engine::end_all(const CurlLibrary& curl) {
  const HttpFault ending{HttpFault::Kind::other, "agentd is ending"};
  std::vector<std::pair<Order, std::shared_ptr<CurlTransfer>>> orders;
  {
    std::lock_guard lock(mutex_);
    to_wake_ = nullptr;
    orders.swap(orders_);
  }
  for (const auto& [order, transfer] : orders) {
    if (order == Order::start) transfer->finish_with(ending);
  }
  while (!active_.empty()) {
    const auto transfer = active_.begin()->second;
    remove(curl, transfer);
    transfer->finish_with(ending);
  }
}

void Engine::serve(const CurlLibrary& curl) {
  constexpr int kLongest = 3'600'000;  // curl's own timers shorten it; nothing else needs a tick
  while (carry_out_orders(curl)) {
    int running = 0;
    curl.multi_perform(multi_, &running);
    report_ended(curl);
    curl.multi_poll(multi_, nullptr, 0, kLongest, nullptr);
  }
}

// Without a library every request ends at once, saying why; the thread stays to say it.
void Engine::refuse_all(const std::string& reason) {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return stopping_ || !orders_.empty(); });
    if (orders_.empty()) return;
    const auto orders = std::exchange(orders_, {});
    lock.unlock();
    for (const auto& [order, transfer] : orders) {
      if (order == Order::start) transfer->finish_with({HttpFault::Kind::other, reason});
    }
    lock.lock();
  }
}

// False when it is time to stop.
bool Engine::carry_out_orders(const CurlLibrary& curl) {
  std::vector<std::pair<Order, std::shared_ptr<CurlTransfer>>> orders;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    orders.swap(orders_);
  }
  for (const auto& [order, transfer] : orders) {
    switch (order) {
      case Order::start:
        start(curl, transfer);
        break;
      case Order::update_pause:
        transfer->apply_pause();
        break;
      case Order::cancel:
        remove(curl, transfer);
        break;
    }
  }
  return true;
}

void Engine::start(const CurlLibrary& curl, const std::shared_ptr<CurlTransfer>& transfer) {
  CURL* easy = transfer->open(curl);
  if (easy == nullptr || curl.multi_add_handle(multi_, easy) != CURLM_OK) {
    transfer->close();
    transfer->finish_with({HttpFault::Kind::other, "curl refused the request"});
    return;
  }
  active_.emplace(transfer.get(), transfer);
}

void Engine::remove(const CurlLibrary& curl, const std::shared_ptr<CurlTransfer>& transfer) {
  if (active_.erase(transfer.get()) == 0) return;
  curl.multi_remove_handle(multi_, transfer->handle());
  transfer->close();
}

void Engine::report_ended(const CurlLibrary& curl) {
  int left = 0;
  while (const CURLMsg* message = curl.multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* pointer = nullptr;
    curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &pointer);
    const auto found = active_.find(reinterpret_cast<CurlTransfer*>(pointer));
    if (found == active_.end()) continue;
    const auto transfer = found->second;
    remove(curl, transfer);
    transfer->finish(code);
  }
}

class TransferHandle final : public Transfer {
 public:
  TransferHandle(std::shared_ptr<Engine> engine, std::shared_ptr<CurlTransfer> transfer)
      : engine_(std::move(engine)), transfer_(std::move(transfer)) {}
  ~TransferHandle() override {
    transfer_->cancel();
    engine_->give(Engine::Order::cancel, transfer_);
  }
  void pause() override { set_paused(true); }
  void resume() override { set_paused(false); }

 private:
  void set_paused(bool paused) {
    if (transfer_->want_paused.exchange(paused) == paused) return;
    engine_->give(Engine::Order::update_pause, transfer_);
  }

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<CurlTransfer> transfer_;
};

class CurlHttp final : public Http {
 public:
  ~CurlHttp() override { engine_->stop(); }

  std::unique_ptr<Transfer> post(HttpRequest request, HttpCallbacks callbacks) override {
    return start(HttpMethod::post, std::move(request), std::move(callbacks));
  }
  std::unique_ptr<Transfer> get(HttpRequest request, HttpCallbacks callbacks) override {
    return start(HttpMethod::get, std::move(request), std::move(callbacks));
  }

 private:
  std::unique_ptr<Transfer> start(HttpMethod method, HttpRequest request, HttpCallbacks callbacks) {
    auto transfer =
        std::make_shared<CurlTransfer>(method, std::move(request), std::move(callbacks));
    engine_->give(Engine::Order::start, transfer);
    return std::make_unique<TransferHandle>(engine_, transfer);
  }

  std::shared_ptr<Engine> engine_ = std::make_shared<Engine>();
};

}  // namespace

std::unique_ptr<Http> make_curl_http() {
  return std::make_unique<CurlHttp>();
}

}  // namespace agentd::platform
