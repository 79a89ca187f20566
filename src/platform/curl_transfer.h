// CurlTransfer: one request as libcurl sees it: the easy handle, the body it reads from pieces,
// the head it collects, the callbacks it hands chunks to. Lives on the http thread but for the
// gate in front of the callbacks, which the thread that cancels closes.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "platform/curl_library.h"
#include "platform/http.h"

namespace agentd::platform {

enum class HttpMethod { get, post };

class CurlTransfer {
 public:
  CurlTransfer(HttpMethod method, HttpRequest request, HttpCallbacks callbacks)
      : method_(method), request_(std::move(request)), callbacks_(std::move(callbacks)) {}
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // --- any thread but the http thread ---

  /// No callback begins after this returned; one under way has ended. Callbacks only post, so
  /// this waits for microseconds at most.
  void cancel() {
    std::lock_guard lock(gate_);
    cancelled_ = true;
  }

  std::atomic<bool> want_paused{false};

  // --- http thread ---

  /// Makes the easy handle. Null if curl refuses; the transfer then ends with finish_with().
  CURL* open(const CurlLibrary& curl);
  void close();
  CURL* handle() const { return easy_; }

  void apply_pause();
  /// Tells the end, once.
  void finish(CURLcode code);
  void finish_with(const HttpFault& fault);

 private:
  static std::size_t send_body(char* buffer, std::size_t size, std::size_t count, void* self);
  static int rewind_body(void* self, curl_off_t offset, int origin);
  static std::size_t take_header(char* line, std::size_t size, std::size_t count, void* self);
  static std::size_t take_data(char* data, std::size_t size, std::size_t count, void* self);

  void header_line(std::string_view line);
  void deliver_head();
  template <class Call>
  void unless_cancelled(Call call) {
    std::lock_guard lock(gate_);
    if (!cancelled_) call();
  }

  const HttpMethod method_;
  HttpRequest request_;
  HttpCallbacks callbacks_;
  std::mutex gate_;
  bool cancelled_ = false;  // under gate_

  const CurlLibrary* curl_ = nullptr;
  CURL* easy_ = nullptr;
  curl_slist* headers_ = nullptr;
  char error_text_[CURL_ERROR_SIZE] = {};
  std::size_t piece_ = 0;   // of the body, next to send
  std::size_t offset_ = 0;  // in that piece
  HttpHead head_;
  bool head_delivered_ = false;
  bool paused_ = false;
};

}  // namespace agentd::platform
