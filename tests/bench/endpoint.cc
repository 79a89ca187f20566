#include "bench/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace agentd::bench {
namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    "request-id: req_bench\r\ntransfer-encoding: chunked\r\n\r\n";
constexpr std::string_view kEnd = "0\r\n\r\n";

std::string chunk(std::string_view data) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  std::string text(size);
  text.append(data);
  text += "\r\n";
  return text;
}

std::size_t content_length(std::string_view head) {
  for (const char* name : {"\r\ncontent-length:", "\r\nContent-Length:"}) {
    const auto at = head.find(name);
    if (at == std::string_view::npos) continue;
    return std::strtoul(std::string(head.substr(at + 17, 20)).c_str(), nullptr, 10);
  }
  throw std::runtime_error("a request without content-length");
}

bool receive_more(int socket, std::string& buffer) {
  static thread_local char bytes[256 * 1024];
  const ssize_t got = recv(socket, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  buffer.append(bytes, static_cast<std::size_t>(got));
  return true;
}

}  // namespace

void Exchange::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // the client cancelled
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  last_byte = Steady::now();
}

void Exchange::whole(std::string_view events) {
  write_all(std::string(kHead) + chunk(events) + std::string(kEnd));
}

void Exchange::begin() {
  write_all(kHead);
}
void Exchange::part(std::string_view events) {
  write_all(chunk(events));
}
void Exchange::finish() {
  write_all(kEnd);
}

Endpoint::Endpoint() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on the loopback");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_connections(); });
}

Endpoint::~Endpoint() {
  closing_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  {
    std::lock_guard lock(mutex_);
    for (const int open : sockets_) shutdown(open, SHUT_RDWR);
  }
  for (std::thread& connection : connections_) connection.join();
}

std::string Endpoint::base_url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

void Endpoint::serve(Responder responder) {
  std::lock_guard lock(mutex_);
  responder_ = std::move(responder);
  times_.clear();
}

std::vector<Endpoint::Times> Endpoint::times(std::size_t count) {
  std::unique_lock lock(mutex_);
  if (!noted_.wait_for(lock, std::chrono::seconds(60), [&] { return times_.size() >= count; })) {
    throw std::runtime_error("only " + std::to_string(times_.size()) + " of " +
                             std::to_string(count) + " requests came");
  }
  return times_;
}

void Endpoint::accept_connections() {
  for (;;) {
    const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) return;
    const int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::lock_guard lock(mutex_);
    sockets_.push_back(accepted);
    connections_.emplace_back([this, accepted] { answer_connection(accepted); });
  }
}

void Endpoint::answer_connection(int socket) {
  std::string buffer;
  while (!closing_ && answer_request(socket, buffer)) {
  }
  std::lock_guard lock(mutex_);
  std::erase(sockets_, socket);
  close(socket);
}

bool Endpoint::answer_request(int socket, std::string& buffer) {
  std::size_t head_end = std::string::npos;
  while ((head_end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!receive_more(socket, buffer)) return false;
  }
  const std::size_t size =
      head_end + 4 + content_length(std::string_view(buffer).substr(0, head_end));
  while (buffer.size() < size) {
    if (!receive_more(socket, buffer)) return false;
  }
  const TimePoint received = Steady::now();
  std::size_t index = 0;
  Responder responder;
  {
    std::lock_guard lock(mutex_);
    index = times_.size();
    times_.push_back({received, received});
    responder = responder_;
  }
  noted_.notify_all();
  const std::string_view body = std::string_view(buffer).substr(head_end + 4, size - head_end - 4);
  Exchange exchange(socket, index, body);
  responder(exchange);
  {
    std::lock_guard lock(mutex_);
    if (index < times_.size()) times_[index].answered = exchange.last_byte;
  }
  buffer.erase(0, size);
  return true;
}

}  // namespace agentd::bench
