#include "model/address.h"

#include <algorithm>

namespace agentd::model {
namespace {

constexpr std::string_view kSchemeEnd = "://";

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

}  // namespace

bool is_http_address(std::string_view address) {
  const std::size_t scheme_end = address.find(kSchemeEnd);
  if (scheme_end == std::string_view::npos) return false;
  std::string scheme(address.substr(0, scheme_end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), lowered);
  if (scheme != "http" && scheme != "https") return false;
  const bool blank = std::any_of(address.begin(), address.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
  });
  const std::string host = host_of(address);
  return !blank && !host.empty() && host.front() != ':';
}

std::string host_of(std::string_view url) {
  const std::size_t scheme_end = url.find(kSchemeEnd);
  if (scheme_end == std::string_view::npos) return {};
  url.remove_prefix(scheme_end + kSchemeEnd.size());
  url = url.substr(0, url.find_first_of("/?#"));
  const std::size_t at = url.rfind('@');
  return std::string(at == std::string_view::npos ? url : url.substr(at + 1));
}

}  // namespace agentd::model
