// Http over real loopback sockets.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <optional>

#include "loopback_server.h"
#include "platform/http.h"
#include "scratch.h"

using namespace agentd::platform;
using namespace agentd::platform::test;
using namespace std::chrono_literals;

namespace {

// What a transfer told, and a way to wait for parts of it.
class Listener {
 public:
  HttpCallbacks callbacks() {
    return {[this](HttpHead head) { add([&] { head_ = std::move(head); }); },
            [this](std::string_view data) { add([&] { data_ += data; }); },
            [this](const HttpFault* fault) {
              add([&] {
                ++ends_;
                if (fault != nullptr) fault_ = *fault;
              });
            }};
  }

  void wait_end() {
    wait([this] { return ends_ > 0; });
  }
  void wait_data(std::size_t bytes) {
    wait([this, bytes] { return data_.size() >= bytes; });
  }
  void wait_head() {
    wait([this] { return head_.has_value(); });
  }

  // After wait_end, or under the eyes of wait_data.
  const std::optional<HttpHead>& head() const { return head_; }
  const std::string& data() const { return data_; }
  const std::optional<HttpFault>& fault() const { return fault_; }
  int ends() const { return ends_; }
  std::size_t size() {
    std::lock_guard lock(mutex_);
    return data_.size();
  }

 private:
  template <class Change>
  void add(Change change) {
    {
      std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }
  template <class Condition>
  void wait(Condition condition) {
    std::unique_lock lock(mutex_);
    REQUIRE(changed_.wait_for(lock, 20s, condition));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HttpHead> head_;
  std::string data_;
  std::optional<HttpFault> fault_;
  int ends_ = 0;
};

std::shared_ptr<const std::string> piece(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

HttpRequest request_to(const std::string& url, std::string body = "{}") {
  HttpRequest request;
  request.url = url;
  request.headers = {"content-type: application/json", "x-api-key: secret"};
  request.body = {piece(std::move(body))};
  return request;
}

std::string response(const std::string& body, const std::string& more_headers = "") {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         more_headers + "\r\n" + body;
}

std::string chunk(const std::string& text) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}

constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// Answers every request on every connection with the same text.
std::function<void(Connection&)> always(std::string text) {
  return [text = std::move(text)](Connection& connection) {
    Received request;
    while (connection.receive(request)) connection.send(text);
  };
}

// A gzip file of one stored (not compressed) block: RFC 1951 and 1952.
std::string gzip(const std::string& text) {
  std::uint32_t crc = ~0U;
  for (const char letter : text) {
    crc ^= static_cast<unsigned char>(letter);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  std::string out("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 10);
  const auto little_endian = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
  };
  out += '\x01';
  const auto length = static_cast<std::uint32_t>(text.size());
  little_endian(length, 2);
  little_endian(~length, 2);
  out += text;
  little_endian(~crc, 4);
  little_endian(length, 4);
  return out;
}

}  // namespace

TEST_CASE("a request goes out whole, its body from pieces; head, data and end come back") {
  Received seen;
  LoopbackServer server([&](Connection& connection) {
    Received request;
    while (connection.receive(request)) {
      seen = request;
      connection.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
      connection.send(
          "HTTP/1.1 429 Too Many\r\nRetry-After:  7 \r\nContent-Length: 5\r\n\r\nlater");
    }
  });
  const auto http = make_curl_http();
  HttpRequest request = request_to(server.url(), "one ");
  std::string expected = "one ";
  for (int i = 0; i < 300; ++i) {
    request.body.push_back(
        piece(i % 7 == 0 ? "" : std::string(1000, static_cast<char>('a' + i % 26))));
    expected += *request.body.back();
  }
  Listener listener;
  const auto transfer = http->post(request, listener.callbacks());
  listener.wait_end();
  CHECK(listener.head()->status == 429);
  REQUIRE(listener.head()->find("retry-after") != nullptr);
  CHECK(*listener.head()->find("retry-after") == "7");
  CHECK(listener.head()->find("link") == nullptr);
  CHECK(listener.data() == "later");
  CHECK(!listener.fault());
  CHECK(listener.ends() == 1);
  CHECK(seen.body == expected);
  CHECK(seen.head.starts_with("POST /v1/messages HTTP/1.1\r\n"));
  CHECK(seen.head.find("x-api-key: secret\r\n") != std::string::npos);
  CHECK(seen.head.find("content-type: application/json\r\n") != std::string::npos);
  CHECK(seen.head.find("Expect") == std::string::npos);
  CHECK(seen.head.find("x-www-form-urlencoded") == std::string::npos);
}

TEST_CASE("an empty body is sent as one") {
  LoopbackServer server(always(response("ok")));
  const auto http = make_curl_http();
  HttpRequest request = request_to(server.url());
  request.body.clear();
  Listener listener;
  const auto transfer = http->post(request, listener.callbacks());
  listener.wait_end();
  CHECK(listener.data() == "ok");
}

TEST_CASE("data arrives as the server sends it, chunk by chunk") {
  std::promise<void> go;
  LoopbackServer server([&](Connection& connection) {
    Received request;
    if (!connection.receive(request)) return;
    connection.send(kChunked + chunk("first"));
    go.get_future().wait();
    connection.send(chunk("second") + "0\r\nTrailer: x\r\n\r\n");
    connection.wait_for_close();
  });
  const auto http = make_curl_http();
  Listener listener;
  const auto transfer = http->post(request_to(server.url()), listener.callbacks());
  listener.wait_data(5);
  CHECK(listener.size() == 5);
  go.set_value();
  listener.wait_end();
  CHECK(listener.data() == "firstsecond");
  CHECK(!listener.fault());
}

TEST_CASE("gzip is decoded") {
  const std::string text(60000, 'z');
  LoopbackServer server(always(response(gzip(text), "Content-Encoding: gzip\r\n")));
  const auto http = make_curl_http();
  Listener listener;
  const auto transfer = http->post(request_to(server.url()), listener.callbacks());
  listener.wait_end();
  CHECK(listener.data() == text);
}

TEST_CASE("a connection is used again, but for a fresh one when asked") {
  LoopbackServer server(always(response("ok")));
  const auto http = make_curl_http();
  for (int i = 0; i < 5; ++i) {
    Listener listener;
    const auto transfer = http->post(request_to(server.url()), listener.callbacks());
    listener.wait_end();
  }
  CHECK(server.connections() == 1);
  HttpRequest request = request_to(server.url());
  request.fresh_connection = true;
  Listener listener;
  const auto transfer = http->post(request, listener.callbacks());
  listener.wait_end();
  CHECK(server.connections() == 2);
}

TEST_CASE("a kept connection that the server closed meanwhile is replaced, the body sent again") {
  std::mutex mutex;
  std::vector<std::string> bodies;
  LoopbackServer server([&](Connection& connection) {
    Received request;
    // The first connection dies on its second request, after it took it.
    for (int i = 0; connection.receive(request); ++i) {
      std::lock_guard lock(mutex);
      bodies.push_back(request.body);
      if (connection.number() == 1 && i == 1) return;
      connection.send(response("ok"));
    }
  });
  const auto http = make_curl_http();
  const std::string big(500000, 'b');
  for (int i = 0; i < 2; ++i) {
    Listener listener;
    const auto transfer = http->post(request_to(server.url(), big), listener.callbacks());
    listener.wait_end();
    CHECK(listener.data() == "ok");
  }
  std::lock_guard lock(mutex);
  CHECK(bodies == std::vector<std::string>(3, big));
}

TEST_CASE("faults are told apart") {
  Listener refused;
  Listener not_tls;
  Listener cut;
  Listener reset;
  Listener scheme;
  std::string closed_url;
  {
    closed_url = LoopbackServer([](Connection&) {}).url();
  }
  LoopbackServer plain([](Connection& connection) {
    connection.send("not TLS at all\r\n\r\n");
    while (!connection.wait_for_close()) {
    }
  });
  LoopbackServer cutting([](Connection& connection) {
    Received request;
    if (connection.receive(request)) connection.send(kChunked + chunk("part"));
  });
  LoopbackServer resetting([](Connection& connection) {
    Received request;
    if (!connection.receive(request)) return;
    connection.send(kChunked + chunk("part"));
    connection.reset();
  });
  const auto http = make_curl_http();
  const auto t1 = http->post(request_to(closed_url), refused.callbacks());
  const auto t2 = http->post(request_to(plain.url("https")), not_tls.callbacks());
  const auto t3 = http->post(request_to(cutting.url()), cut.callbacks());
  const auto t4 = http->post(request_to(resetting.url()), reset.callbacks());
  const auto t5 = http->post(request_to("file:///etc/passwd"), scheme.callbacks());
  for (Listener* listener : {&refused, &not_tls, &cut, &reset, &scheme}) {
    listener->wait_end();
    REQUIRE(listener->fault());
    CHECK(!listener->fault()->message.empty());
    CHECK(listener->fault()->message.find("secret") == std::string::npos);
    CHECK(listener->ends() == 1);
  }
  CHECK(refused.fault()->kind == HttpFault::Kind::connect);
  CHECK(!refused.head());
  CHECK(not_tls.fault()->kind == HttpFault::Kind::tls);
  CHECK(cut.fault()->kind == HttpFault::Kind::reset);
  CHECK(cut.data() == "part");
  CHECK(reset.fault()->kind == HttpFault::Kind::reset);
  CHECK(scheme.fault()->kind == HttpFault::Kind::address);
}

TEST_CASE("a redirect is not followed: the key stays") {
  LoopbackServer elsewhere(always(response("stolen")));
  LoopbackServer server(
      always("HTTP/1.1 307 Go\r\nLocation: " + elsewhere.url() + "\r\nContent-Length: 0\r\n\r\n"));
  const auto http = make_curl_http();
  Listener listener;
  const auto transfer = http->post(request_to(server.url()), listener.callbacks());
  listener.wait_end();
  CHECK(listener.head()->status == 307);
  CHECK(elsewhere.connections() == 0);
}

TEST_CASE("destroying a transfer ends it at once: no callback after, the connection closed") {
  std::promise<void> closed;
  LoopbackServer server([&](Connection& connection) {
    Received request;
    if (!connection.receive(request)) return;
    connection.send(kChunked + chunk("data"));
    if (connection.wait_for_close()) closed.set_value();
  });
  const auto http = make_curl_http();
  Listener listener;
  auto transfer = http->post(request_to(server.url()), listener.callbacks());
  listener.wait_data(4);
  const auto begin = std::chrono::steady_clock::now();
  transfer.reset();
  const auto destroyed = std::chrono::steady_clock::now();
  REQUIRE(closed.get_future().wait_for(10s) == std::future_status::ready);
  const auto gone = std::chrono::steady_clock::now();
  MESSAGE("destructor " << std::chrono::duration<double, std::micro>(destroyed - begin).count()
                        << " us, connection closed after "
                        << std::chrono::duration<double, std::micro>(gone - begin).count()
                        << " us");
  CHECK(listener.ends() == 0);
}

TEST_CASE("transfers destroyed at any moment call nothing afterwards") {
  LoopbackServer server([](Connection& connection) {
    Received request;
    if (!connection.receive(request)) return;
    connection.send(kChunked);
    while (connection.send(chunk(std::string(1000, 'x')))) {
    }
  });
  const auto http = make_curl_http();
  for (int round = 0; round < 60; ++round) {
    // On the heap and freed right after: a late callback is a use after free for ASan, and a
    // race for TSan.
    auto calls = std::make_unique<std::uint64_t>(0);
    std::promise<void> some;
    auto transfer = http->post(request_to(server.url()),
                               {[](HttpHead) {},
                                [&some, count = calls.get(), round](std::string_view) {
                                  if (++*count == static_cast<std::uint64_t>(round))
                                    some.set_value();
                                },
                                [count = calls.get()](const HttpFault*) { ++*count; }});
    if (round > 0) some.get_future().wait();
    transfer.reset();
    calls.reset();
  }
}

TEST_CASE("a paused transfer reads no more until it is resumed") {
  constexpr std::size_t kAll = 20'000'000;
  std::promise<void> go;
  LoopbackServer server([&](Connection& connection) {
    Received request;
    if (!connection.receive(request)) return;
    const std::string all = response(std::string(kAll, 'x'));
    const std::size_t head = all.size() - kAll;
    connection.send(std::string_view(all).substr(0, head));
    go.get_future().wait();
    connection.send(std::string_view(all).substr(head));
    connection.wait_for_close();
  });
  const auto http = make_curl_http();
  Listener listener;
  const auto transfer = http->post(request_to(server.url()), listener.callbacks());
  listener.wait_head();
  transfer->pause();
  // A request passes through the same thread: by its end the pause has been seen, and anything
  // that was under way has been delivered.
  LoopbackServer second(always(response("ok")));
  const auto pass_through = [&] {
    Listener listener_of_probe;
    const auto probe = http->post(request_to(second.url()), listener_of_probe.callbacks());
    listener_of_probe.wait_end();
  };
  pass_through();
  go.set_value();
  for (int i = 0; i < 20; ++i) pass_through();
  CHECK(listener.size() == 0);
  transfer->resume();
  listener.wait_end();
  CHECK(listener.size() == kAll);
}

TEST_CASE("many transfers at once") {
  LoopbackServer server(always(response("ok")));
  const auto http = make_curl_http();
  std::vector<Listener> listeners(30);
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (Listener& listener : listeners) {
    transfers.push_back(http->post(request_to(server.url()), listener.callbacks()));
  }
  for (Listener& listener : listeners) {
    listener.wait_end();
    CHECK(listener.data() == "ok");
  }
}

TEST_CASE("the end of Http ends what is open, says so, and leaves no thread or descriptor") {
  LoopbackServer server([](Connection& connection) {
    Received request;
    if (connection.receive(request)) connection.wait_for_close();
  });
  {
    const auto warm_up = make_curl_http();  // opens the library, which stays
    Listener listener;
    const auto transfer = warm_up->post(request_to("http://127.0.0.1:1/"), listener.callbacks());
    listener.wait_end();
  }
  const std::size_t threads = entries("/proc/self/task");
  const std::size_t descriptors = open_descriptors();
  Listener listener;
  std::unique_ptr<Transfer> transfer;
  {
    LoopbackServer silent([](Connection& connection) {
      Received request;
      if (connection.receive(request)) connection.wait_for_close();
    });
    const auto http = make_curl_http();
    transfer = http->post(request_to(silent.url()), listener.callbacks());
  }
  listener.wait_end();
  CHECK(listener.fault());
  transfer.reset();
  CHECK(entries("/proc/self/task") == threads);
  CHECK(open_descriptors() == descriptors);
}

TEST_CASE("a warm request leaves soon after post") {
  std::atomic<std::int64_t> received_at{0};
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  LoopbackServer server([&](Connection& connection) {
    Received request;
    while (connection.receive(request)) {
      received_at = now();
      connection.send(response("ok"));
    }
  });
  const auto http = make_curl_http();
  for (const std::size_t size : {2'000UL, 500'000UL, 3'000'000UL}) {
    std::vector<double> times;
    HttpRequest request = request_to(server.url(), std::string(size, 'x'));
    for (int i = 0; i < 21; ++i) {
      Listener listener;
      const auto begin = now();
      const auto transfer = http->post(request, listener.callbacks());
      listener.wait_end();
      times.push_back(static_cast<double>(received_at - begin) / 1000);
    }
    std::sort(times.begin(), times.end());
    MESSAGE("post of " << size << " bytes to received: median " << times[10] << " us, best "
                       << times[0]);
    // About 50 us for the small one on a quiet machine; ours may be busy or under a sanitizer.
    if (size < 10'000) CHECK(times[0] < 20'000);
  }
  CHECK(server.connections() == 1);
}
