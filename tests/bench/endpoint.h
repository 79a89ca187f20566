// Endpoint: a loopback model server with zero think time that notes when requests came in whole
// and when the last byte of each answer was written. A thread per connection; the clock is the
// driver's own, so that times of both compare.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace agentd::bench {

using Steady = std::chrono::steady_clock;
using TimePoint = Steady::time_point;

/// One request and its answer, written by the responder on the connection's thread.
class Exchange {
 public:
  Exchange(int socket, std::size_t request_index, std::string_view request_body)
      : index(request_index), body(request_body), socket_(socket) {}

  const std::size_t index;  // counts from 0 since the last Endpoint::serve
  const std::string_view body;

  /// Head, events and end in one write.
  void whole(std::string_view events);
  /// Or in parts: begin, part any number of times, finish. Each part is one write.
  void begin();
  void part(std::string_view events);
  void finish();

  TimePoint last_byte;  // when the last write had returned

 private:
  void write_all(std::string_view bytes);
  int socket_;
};

class Endpoint {
 public:
  using Responder = std::function<void(Exchange&)>;

  Endpoint();
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  std::string base_url() const;

  /// Answers with `responder` from now on; what was noted is forgotten.
  void serve(Responder responder);

  struct Times {
    TimePoint received;  // the request had come in whole
    TimePoint answered;  // the last byte of its answer was written
  };
  /// What was noted since serve(), once at least `count` requests came in. Waits at most 60 s.
  std::vector<Times> times(std::size_t count);

 private:
  void accept_connections();
  void answer_connection(int socket);
  bool answer_request(int socket, std::string& buffer);

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::condition_variable noted_;
  Responder responder_;
  std::vector<Times> times_;
  std::vector<int> sockets_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace agentd::bench
