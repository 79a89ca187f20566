// ModelServer: a real HTTP/1.1 server on the loopback, for tests of every room that talks to a
// model: it answers with the replies it was given (or that a handler makes), cut and ended as the
// test wants, holds a stream at gates, and keeps every request. Its own threads: one accepts, one
// per connection. Connections stay open as a real endpoint's do.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentd::test {

/// Holds a stream at one place until the test opens it. Closing the server opens every gate.
class Gate {
 public:
  void open();
  /// Waits until a stream has come to the gate: all before it is in the socket.
  bool wait_reached(std::chrono::milliseconds limit = std::chrono::milliseconds(10'000));

 private:
  friend class ModelServer;
  void pass();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool reached_ = false;
};

struct ServerReply {
  enum class End { eof, reset, stall };

  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {
      {"content-type", "text/event-stream"}};
  std::string body;
  /// Offsets in the body behind which a new write begins; each write is an HTTP chunk of its own,
  /// so that the client sees these very pieces.
  std::vector<std::size_t> cuts;
  End end = End::eof;
  /// Before the byte at `offset` of the body is sent the gate must be open.
  std::vector<std::pair<std::size_t, std::shared_ptr<Gate>>> gates;
  std::shared_ptr<Gate> hold;     // if set: must be open before any answer is given
  bool close_connection = false;  // after the reply, although it ended well

  static ServerReply stream(std::string body);
  static ServerReply json(int status, std::string body);
  /// Nothing but a broken connection, before any answer.
  static ServerReply broken();

  ServerReply& byte_by_byte();
  ServerReply& random_cuts(std::uint32_t seed);
};

struct SeenRequest {
  std::string method;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  int connection = 0;  // which connection it came on, counted from 0
  std::chrono::steady_clock::time_point arrived;
  const std::string* header(std::string_view name) const;
};

class ModelServer {
 public:
  using Handler = std::function<ServerReply(const SeenRequest&)>;

  explicit ModelServer(int port = 0);  // 0: any free one
  ~ModelServer();                      // closes everything, joins its threads
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  int port() const;
  std::string url() const;  // http://127.0.0.1:PORT

  /// The next reply not yet used is the answer to the next request.
  void add(ServerReply reply);
  /// Asked when the queue is empty; without one the answer is a 500. Called on a connection's
  /// thread.
  void set_handler(Handler handler);

  std::vector<SeenRequest> requests() const;
  /// Waits until at least `count` requests came. False if they did not.
  bool wait_requests(std::size_t count,
                     std::chrono::milliseconds limit = std::chrono::milliseconds(10'000)) const;
  int connections() const;  // accepted so far
  /// Waits until no connection is open.
  bool wait_no_connection(
      std::chrono::milliseconds limit = std::chrono::milliseconds(10'000)) const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace agentd::test
