#include "model/wire_names.h"

#include <cstdint>
#include <cstdio>

namespace agentd::model {
namespace {

bool wire_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// FNV-1a: tells apart ids that differ only in characters the wire does not know.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
  return value;
}

std::string wire_name(std::string_view name) {
  std::string out;
  for (const char c : name) out.push_back(wire_character(c) ? c : '_');
  return out;
}

}  // namespace

std::string wire_tool_use_id(std::string_view id) {
  std::string out = wire_name(id);
  if (!out.empty() && out == id) return out;
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "_%08x", static_cast<unsigned>(hash(id)));
  return out + suffix;
}

std::string wire_tool_name(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  std::string out = wire_name(name.substr(0, kLongestName));
  return out.empty() ? "unnamed" : out;
}

}  // namespace agentd::model
