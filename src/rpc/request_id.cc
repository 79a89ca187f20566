#include "rpc/request_id.h"

#include <nlohmann/json.hpp>

#include "wire/text.h"

namespace agentd::rpc {
namespace {

std::size_t end_of_string(std::string_view text, std::size_t quote) {
  std::size_t i = quote + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

// The number behind the last "id" of the outermost object of valid JSON `text`.
std::optional<std::string> raw_number_of_id(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::optional<std::string> found;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t end = end_of_string(text, i);
    const bool is_id = depth == 1 && text.substr(i, end - i) == R"("id")";
    i = end - 1;
    const std::size_t colon = text.find_first_not_of(kBlank, end);
    if (!is_id || colon == std::string_view::npos || text[colon] != ':') continue;
    const std::size_t begin = text.find_first_not_of(kBlank, colon + 1);
    if (begin == std::string_view::npos) continue;
    const std::size_t stop = text.find_first_of(", \t\r\n}", begin);
    found = std::string(text.substr(begin, stop - begin));
  }
  return found;
}

}  // namespace

std::optional<std::string> request_id(const Json& id, std::string_view message) {
  if (id.is_number_float()) return raw_number_of_id(message);
  if (!id.is_string() && !id.is_number_integer()) return std::nullopt;
  std::string text;
  wire::append_json(text, id);
  return text;
}

}  // namespace agentd::rpc
