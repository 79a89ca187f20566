// Http: streaming requests over libcurl. One thread owns one curl multi handle (HTTP/1.1,
// connections reused); callers post requests to it and get chunks by callback on that thread.
// libcurl, its TLS and that thread start with the first request, not with the process. Proxies
// and CA files come from the environment as curl knows them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentd::platform {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "name: value"; never logged
  /// The body in pieces, sent one after the other without being joined.
  std::vector<std::shared_ptr<const std::string>> body;
  bool fresh_connection = false;  // a retry does not trust the connection that failed
};

struct HttpHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  const std::string* find(std::string_view name) const;
};

/// Why a transfer ended without a complete response.
struct HttpFault {
  enum class Kind { address, connect, tls, reset, other };  // address: no URL to go to
  Kind kind = Kind::other;
  std::string message;
};

/// Called on the http thread, in this order: head once, data any number of times, end once.
/// None is called after Transfer's destructor has returned.
struct HttpCallbacks {
  std::function<void(HttpHead)> on_head;
  std::function<void(std::string_view)> on_data;  // decoded (gzip, chunked)
  std::function<void(const HttpFault*)> on_end;   // nullptr: the body came whole
};

/// One request under way. Destroying it cancels it (in under a millisecond; the connection closes
/// unless the response was complete). Any thread but the http thread may destroy it.
class Transfer {
 public:
  virtual ~Transfer() = default;
  virtual void pause() = 0;  // stop reading from the socket
  virtual void resume() = 0;
};

class Http {
 public:
  virtual ~Http() = default;
  [[nodiscard]] virtual std::unique_ptr<Transfer> post(HttpRequest request,
                                                       HttpCallbacks callbacks) = 0;
  /// Without the request's body.
  [[nodiscard]] virtual std::unique_ptr<Transfer> get(HttpRequest request,
                                                      HttpCallbacks callbacks) = 0;
};

std::unique_ptr<Http> make_curl_http();

}  // namespace agentd::platform
