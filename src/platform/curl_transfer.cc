#include "platform/curl_transfer.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace agentd::platform {
namespace {

constexpr long kReceiveBuffer = 256 * 1024;
constexpr long kSendBuffer = 256 * 1024;
constexpr long kConnectSeconds = 30;
constexpr long kKeepAliveSeconds = 60;  // a long silent stream through a NAT

HttpFault::Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return HttpFault::Kind::address;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:  // of connecting: there is no other limit
    case CURLE_PROXY:
      return HttpFault::Kind::connect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return HttpFault::Kind::tls;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return HttpFault::Kind::reset;
    default:
      return HttpFault::Kind::other;  // an open set: curl adds codes
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

std::uint64_t size_of(const HttpRequest& request) {
  std::uint64_t size = 0;
  for (const auto& piece : request.body) size += piece->size();
  return size;
}

// The first variable that is set, as the curl program reads them; the library does not.
const char* first_set(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0') return value;
  }
  return nullptr;
}

}  // namespace

CURL* CurlTransfer::open(const CurlLibrary& curl) {
  curl_ = &curl;
  easy_ = curl.easy_init();
  if (easy_ == nullptr) return nullptr;
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(easy_, option, value); };

  set(CURLOPT_URL, request_.url.c_str());
  // A redirect is not followed: it would carry the key to another place.
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_FRESH_CONNECT, request_.fresh_connection ? 1L : 0L);
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a name lookup that hangs does not hold up the end
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_ACCEPT_ENCODING, "");
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_BUFFERSIZE, kReceiveBuffer);
  set(CURLOPT_UPLOAD_BUFFERSIZE, kSendBuffer);
  set(CURLOPT_ERRORBUFFER, error_text_);
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  if (const char* file = first_set({"CURL_CA_BUNDLE", "SSL_CERT_FILE"})) set(CURLOPT_CAINFO, file);
  if (const char* directory = first_set({"SSL_CERT_DIR"})) set(CURLOPT_CAPATH, directory);

  for (const std::string& header : request_.headers) {
    headers_ = curl.slist_append(headers_, header.c_str());
  }
  headers_ = curl.slist_append(headers_, "Expect:");  // no second round trip before the body
  set(CURLOPT_HTTPHEADER, headers_);

  switch (method_) {
    case HttpMethod::get:
      set(CURLOPT_HTTPGET, 1L);
      break;
    case HttpMethod::post:
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(size_of(request_)));
      break;
  }
  set(CURLOPT_READFUNCTION, &CurlTransfer::send_body);
  set(CURLOPT_READDATA, static_cast<void*>(this));
  set(CURLOPT_SEEKFUNCTION, &CurlTransfer::rewind_body);
  set(CURLOPT_SEEKDATA, static_cast<void*>(this));
  set(CURLOPT_HEADERFUNCTION, &CurlTransfer::take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &CurlTransfer::take_data);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  return easy_;
}

void CurlTransfer::close() {
  if (easy_ != nullptr) curl_->easy_cleanup(std::exchange(easy_, nullptr));
  if (headers_ != nullptr) curl_->slist_free_all(std::exchange(headers_, nullptr));
}

void CurlTransfer::apply_pause() {
  const bool wanted = want_paused.load();
  if (easy_ == nullptr || wanted == paused_) return;
  paused_ = wanted;
  curl_->easy_pause(easy_, wanted ? CURLPAUSE_RECV : CURLPAUSE_CONT);
}

void CurlTransfer::finish(CURLcode code) {
  if (code == CURLE_OK) {
    unless_cancelled([this] { callbacks_.on_end(nullptr); });
    return;
  }
  const char* text = error_text_[0] != '\0' ? error_text_ : curl_->easy_strerror(code);
  finish_with({kind_of(code), text});
}

void CurlTransfer::finish_with(const HttpFault& fault) {
  unless_cancelled([&] { callbacks_.on_end(&fault); });
}

std::size_t CurlTransfer::send_body(char* buffer, std::size_t size, std::size_t count,
                                    void* self_pointer) {
  auto& self = *static_cast<CurlTransfer*>(self_pointer);
  const std::size_t room = size * count;
  std::size_t filled = 0;
  while (filled < room && self.piece_ < self.request_.body.size()) {
    const std::string& piece = *self.request_.body[self.piece_];
    const std::size_t taken = std::min(room - filled, piece.size() - self.offset_);
    std::memcpy(buffer + filled, piece.data() + self.offset_, taken);
    filled += taken;
    self.offset_ += taken;
    if (self.offset_ == piece.size()) {
      ++self.piece_;
      self.offset_ = 0;
    }
  }
  return filled;
}

// A kept connection that the server had closed meanwhile: curl sends the request again on a new
// one, from the start of the body.
int CurlTransfer::rewind_body(void* self_pointer, curl_off_t offset, int origin) {
  auto& self = *static_cast<CurlTransfer*>(self_pointer);
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_CANTSEEK;
  auto left = static_cast<std::uint64_t>(offset);
  self.piece_ = 0;
  while (self.piece_ < self.request_.body.size() &&
         left >= self.request_.body[self.piece_]->size()) {
    left -= self.request_.body[self.piece_++]->size();
  }
  self.offset_ = static_cast<std::size_t>(left);
  return CURL_SEEKFUNC_OK;
}

std::size_t CurlTransfer::take_header(char* line, std::size_t size, std::size_t count,
                                      void* self_pointer) {
  static_cast<CurlTransfer*>(self_pointer)->header_line({line, size * count});
  return size * count;
}

std::size_t CurlTransfer::take_data(char* data, std::size_t size, std::size_t count,
                                    void* self_pointer) {
  auto& self = *static_cast<CurlTransfer*>(self_pointer);
  self.unless_cancelled([&] { self.callbacks_.on_data({data, size * count}); });
  return size * count;
}

void CurlTransfer::header_line(std::string_view line) {
  if (head_delivered_) return;  // a trailer
  line = trim(line);
  if (line.starts_with("HTTP/")) {
    head_ = {};
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos) {
      const std::string_view status = line.substr(space + 1, 3);
      std::from_chars(status.data(), status.data() + status.size(), head_.status);
    }
    return;
  }
  if (line.empty()) {
    const bool interim = head_.status >= 100 && head_.status < 200;
    if (!interim) deliver_head();
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(trim(line.substr(0, colon)));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  head_.headers.emplace_back(std::move(name), trim(line.substr(colon + 1)));
}

void CurlTransfer::deliver_head() {
  head_delivered_ = true;
  unless_cancelled([this] { callbacks_.on_head(std::move(head_)); });
}

const std::string* HttpHead::find(std::string_view name) const {
  for (const auto& [header, value] : headers) {
    if (header == name) return &value;
  }
  return nullptr;
}

}  // namespace agentd::platform
