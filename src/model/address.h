// Addresses of endpoints, as people set them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace agentd::model {

/// True for http://HOST... and https://HOST..., without blanks or control characters.
bool is_http_address(std::string_view address);

/// The host of a URL with its port; never the name and password before it. Empty if there is none.
std::string host_of(std::string_view url);

/// The base of Ollama's OpenAI-compatible API from what its own tools take as OLLAMA_HOST: an
/// address, a host, a port, or both; what is missing is http, 127.0.0.1 and 11434.
std::string ollama_base_url(std::string_view ollama_host);

}  // namespace agentd::model
