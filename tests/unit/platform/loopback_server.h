// A small blocking HTTP server for the tests of Http: a thread per connection, and a function that
// answers. It reads requests as bytes and writes what it is told, right or wrong.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace agentd::platform::test {

struct Received {
  std::string head;  // up to the empty line
  std::string body;
};

class Connection {
 public:
  explicit Connection(int fd, int number) : fd_(fd), number_(number) {}

  int number() const { return number_; }  // 1 for the first connection to the server

  /// The next request; false when the client closed.
  bool receive(Received& request) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return false;
    }
    request.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    std::size_t length = 0;
    const std::size_t field = request.head.find("Content-Length: ");
    if (field != std::string::npos) length = std::stoul(request.head.substr(field + 16));
    while (buffer_.size() < length) {
      if (!more()) return false;
    }
    request.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return true;
  }

  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Blocks until the client closes its end; false if it sends something instead.
  bool wait_for_close() {
    char byte = 0;
    return ::recv(fd_, &byte, 1, 0) <= 0;
  }

  void reset() {  // RST instead of an orderly end
    const linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  bool more() {
    char chunk[65536];
    const ssize_t got = ::recv(fd_, chunk, sizeof chunk, 0);
    if (got <= 0) return false;
    buffer_.append(chunk, static_cast<std::size_t>(got));
    return true;
  }

  int fd_;
  int number_;
  std::string buffer_;
};

class LoopbackServer {
 public:
  explicit LoopbackServer(std::function<void(Connection&)> serve) : serve_(std::move(serve)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_, 16) == 0);
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      std::lock_guard lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& server : servers_) server.join();
    ::close(listener_);
  }

  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/v1/messages";
  }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    while (true) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      std::lock_guard lock(mutex_);
      open_.push_back(fd);
      servers_.emplace_back([this, fd, number = ++connections_] {
        Connection connection(fd, number);
        serve_(connection);
        std::lock_guard closing(mutex_);
        open_.remove(fd);
        ::close(fd);
      });
    }
  }

  std::function<void(Connection&)> serve_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::thread acceptor_;
  std::mutex mutex_;
  std::list<int> open_;
  std::vector<std::thread> servers_;
};

}  // namespace agentd::platform::test
