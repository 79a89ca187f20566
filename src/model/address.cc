#include "model/address.h"

#include <algorithm>

#include "base/ascii.h"

namespace agentd::model {
namespace {

constexpr std::string_view kSchemeEnd = "://";

}  // namespace

bool is_http_address(std::string_view address) {
  const std::size_t scheme_end = address.find(kSchemeEnd);
  if (scheme_end == std::string_view::npos) return false;
  const std::string scheme = ascii::lowered(address.substr(0, scheme_end));
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

std::string ollama_base_url(std::string_view ollama_host) {
  constexpr std::string_view kPort = ":11434";
  constexpr std::string_view kEverywhere = "0.0.0.0";  // where a server listens, nowhere to call
  while (ollama_host.ends_with('/')) ollama_host.remove_suffix(1);
  const bool has_scheme = ollama_host.find(kSchemeEnd) != std::string_view::npos;
  std::string scheme = "http://";
  if (has_scheme) {
    const std::size_t end = ollama_host.find(kSchemeEnd) + kSchemeEnd.size();
    scheme = ollama_host.substr(0, end);
    ollama_host.remove_prefix(end);
  }
  std::string host(ollama_host.substr(0, ollama_host.find('/')));
  const std::string path(ollama_host.substr(host.size()));
  if (host.starts_with(kEverywhere)) host.replace(0, kEverywhere.size(), "127.0.0.1");
  if (host.empty() || host.front() == ':') host.insert(0, "127.0.0.1");
  const bool has_port = host.find(':', host.rfind(']') + 1) != std::string::npos;
  if (!has_port && !has_scheme) host += kPort;
  return scheme + host + path + (path.ends_with("/v1") ? "" : "/v1");
}

}  // namespace agentd::model
