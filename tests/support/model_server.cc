#include "support/model_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <thread>

namespace agentd::test {
namespace {

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

constexpr std::string_view kLastChunk = "0\r\n\r\n";

std::string chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return std::string(size).append(bytes).append("\r\n");
}

void set_reset_on_close(int fd) {
  const linger now{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// Reads whole requests off one connection.
class RequestReader {
 public:
  explicit RequestReader(int fd) : fd_(fd) {}

  // Nothing once the client has closed.
  std::optional<SeenRequest> next() {
    std::size_t head_end = 0;
    while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return std::nullopt;
    }
    SeenRequest request = parse_head(std::string_view(buffer_).substr(0, head_end));
    buffer_.erase(0, head_end + 4);
    const std::string* length = request.header("content-length");
    const std::string* encoding = request.header("transfer-encoding");
    if (encoding != nullptr && lowered(*encoding) == "chunked") {
      if (!read_chunked(request.body)) return std::nullopt;
    } else if (length != nullptr) {
      const std::size_t wanted = std::strtoull(length->c_str(), nullptr, 10);
      while (buffer_.size() < wanted) {
        if (!more()) return std::nullopt;
      }
      request.body = buffer_.substr(0, wanted);
      buffer_.erase(0, wanted);
    }
    request.arrived = std::chrono::steady_clock::now();
    return request;
  }

 private:
  bool more() {
    char bytes[64 * 1024];
    const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  bool read_chunked(std::string& body) {
    while (true) {
      std::size_t end = 0;
      while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!more()) return false;
      }
      const std::size_t size = std::strtoull(buffer_.c_str(), nullptr, 16);
      while (buffer_.size() < end + 2 + size + 2) {
        if (!more()) return false;
      }
      body += buffer_.substr(end + 2, size);
      buffer_.erase(0, end + 2 + size + 2);
      if (size == 0) return true;
    }
  }

  static SeenRequest parse_head(std::string_view head) {
    SeenRequest request;
    std::size_t line_end = head.find("\r\n");
    const std::string_view first = head.substr(0, line_end);
    const std::size_t space = first.find(' ');
    request.method = first.substr(0, space);
    request.path = first.substr(space + 1, first.rfind(' ') - space - 1);
    while (line_end != std::string_view::npos) {
      head.remove_prefix(line_end + 2);
      line_end = head.find("\r\n");
      const std::string_view line = head.substr(0, line_end);
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      std::string_view value = line.substr(colon + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      request.headers.emplace_back(lowered(std::string(line.substr(0, colon))), value);
    }
    return request;
  }

  int fd_;
  std::string buffer_;
};

std::string head_of(const ServerReply& reply) {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Status\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  head += "transfer-encoding: chunked\r\n\r\n";
  return head;
}

// The places where a write begins, 0 and the end included.
std::vector<std::size_t> write_borders(const ServerReply& reply) {
  std::vector<std::size_t> borders = reply.cuts;
  for (const auto& [offset, gate] : reply.gates) borders.push_back(offset);
  borders.push_back(0);
  borders.push_back(reply.body.size());
  std::erase_if(borders, [&](std::size_t at) { return at > reply.body.size(); });
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

}  // namespace

void Gate::open() {
  std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::wait_reached(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return reached_; });
}

void Gate::pass() {
  std::unique_lock lock(mutex_);
  reached_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return open_; });
}

ServerReply ServerReply::stream(std::string body) {
  ServerReply reply;
  reply.body = std::move(body);
  return reply;
}

ServerReply ServerReply::json(int status, std::string body) {
  ServerReply reply;
  reply.status = status;
  reply.headers = {{"content-type", "application/json"}};
  reply.body = std::move(body);
  return reply;
}

ServerReply ServerReply::broken() {
  ServerReply reply;
  reply.status = 0;
  reply.end = End::reset;
  return reply;
}

ServerReply& ServerReply::byte_by_byte() {
  cuts.clear();
  for (std::size_t at = 1; at < body.size(); ++at) cuts.push_back(at);
  return *this;
}

ServerReply& ServerReply::random_cuts(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> length(1, 200);
  cuts.clear();
  for (std::size_t at = length(random); at < body.size(); at += length(random)) cuts.push_back(at);
  return *this;
}

const std::string* SeenRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

struct ModelServer::State {
  int listener = -1;
  int stopping = -1;  // an eventfd: readable once the server closes
  int port = 0;

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::deque<ServerReply> queue;
  Handler handler;
  std::vector<SeenRequest> seen;
  std::vector<std::shared_ptr<Gate>> gates;
  std::vector<int> open;  // sockets of living connections
  std::vector<std::thread> threads;
  std::thread acceptor;
  int connections = 0;
  bool closed = false;

  void accept_all();
  void serve(int fd, int number);
  ServerReply answer(const SeenRequest& request);
  bool play(int fd, const ServerReply& reply);
  void stall(int fd) const;
};

void ModelServer::State::accept_all() {
  while (true) {
    pollfd waits[2] = {{listener, POLLIN, 0}, {stopping, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) return;
    if (waits[1].revents != 0) return;
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::lock_guard lock(mutex);
    open.push_back(fd);
    threads.emplace_back([this, fd, number = connections++] { serve(fd, number); });
  }
}

void ModelServer::State::serve(int fd, int number) {
  RequestReader reader(fd);
  while (auto request = reader.next()) {
    request->connection = number;
    if (!play(fd, answer(*request))) break;
  }
  std::lock_guard lock(mutex);
  std::erase(open, fd);
  ::close(fd);
  changed.notify_all();
}

ServerReply ModelServer::State::answer(const SeenRequest& request) {
  Handler ask;
  {
    std::lock_guard lock(mutex);
    seen.push_back(request);
    changed.notify_all();
    if (!queue.empty()) {
      ServerReply reply = std::move(queue.front());
      queue.pop_front();
      return reply;
    }
    ask = handler;
  }
  if (ask) return ask(request);
  return ServerReply::json(
      500, R"({"type":"error","error":{"type":"api_error","message":"no reply was queued"}})");
}

// False: the connection is over.
bool ModelServer::State::play(int fd, const ServerReply& reply) {
  {
    std::lock_guard lock(mutex);
    for (const auto& [offset, gate] : reply.gates) gates.push_back(gate);
    if (reply.hold) gates.push_back(reply.hold);
    if (closed) return false;
  }
  if (reply.hold) reply.hold->pass();
  if (reply.status == 0) {
    set_reset_on_close(fd);
    return false;
  }
  if (!send_all(fd, head_of(reply))) return false;
  const std::vector<std::size_t> borders = write_borders(reply);
  // As servers do: the end of the body goes along with its last piece, unless a gate stands there.
  const bool gate_at_end =
      std::any_of(reply.gates.begin(), reply.gates.end(),
                  [&](const auto& gate) { return gate.first == borders.back(); });
  const bool ends_at_once =
      reply.end == ServerReply::End::eof && borders.size() > 1 && !gate_at_end;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    for (const auto& [offset, gate] : reply.gates) {
      if (offset == borders[i]) gate->pass();
    }
    if (i + 1 == borders.size()) break;
    const std::size_t length = borders[i + 1] - borders[i];
    std::string piece = chunk(std::string_view(reply.body).substr(borders[i], length));
    if (ends_at_once && i + 2 == borders.size()) piece += kLastChunk;
    if (!send_all(fd, piece)) return false;
  }
  switch (reply.end) {
    case ServerReply::End::eof:
      if (!ends_at_once && !send_all(fd, kLastChunk)) return false;
      return !reply.close_connection;
    case ServerReply::End::reset:
      set_reset_on_close(fd);
      return false;
    case ServerReply::End::stall:
      stall(fd);
      return false;
  }
  return false;
}

// Until the client goes or the server closes.
void ModelServer::State::stall(int fd) const {
  pollfd waits[2] = {{fd, POLLRDHUP, 0}, {stopping, POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
}

ModelServer::ModelServer(int port) : state_(std::make_shared<State>()) {
  State& state = *state_;
  state.listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  state.stopping = ::eventfd(0, EFD_CLOEXEC);
  const int on = 1;
  ::setsockopt(state.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(state.listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(state.listener, 64) != 0) {
    throw std::runtime_error("the model server cannot listen on the loopback");
  }
  ::getsockname(state.listener, reinterpret_cast<sockaddr*>(&address), &size);
  state.port = ntohs(address.sin_port);
  state.acceptor = std::thread([&state] { state.accept_all(); });
}

ModelServer::~ModelServer() {
  State& state = *state_;
  const std::uint64_t one = 1;
  (void)!::write(state.stopping, &one, sizeof one);
  state.acceptor.join();
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(state.mutex);
    state.closed = true;
    for (const auto& gate : state.gates) gate->open();
    for (const int fd : state.open) ::shutdown(fd, SHUT_RDWR);
    threads.swap(state.threads);
  }
  for (std::thread& thread : threads) thread.join();
  ::close(state.listener);
  ::close(state.stopping);
}

int ModelServer::port() const {
  return state_->port;
}

std::string ModelServer::url() const {
  return "http://127.0.0.1:" + std::to_string(port());
}

void ModelServer::add(ServerReply reply) {
  std::lock_guard lock(state_->mutex);
  state_->queue.push_back(std::move(reply));
}

void ModelServer::set_handler(Handler handler) {
  std::lock_guard lock(state_->mutex);
  state_->handler = std::move(handler);
}

std::vector<SeenRequest> ModelServer::requests() const {
  std::lock_guard lock(state_->mutex);
  return state_->seen;
}

bool ModelServer::wait_requests(std::size_t count, std::chrono::milliseconds limit) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, limit, [&] { return state_->seen.size() >= count; });
}

int ModelServer::connections() const {
  std::lock_guard lock(state_->mutex);
  return state_->connections;
}

bool ModelServer::wait_no_connection(std::chrono::milliseconds limit) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, limit, [&] { return state_->open.empty(); });
}

}  // namespace agentd::test
