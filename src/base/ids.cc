#include "base/ids.h"

#include <array>
#include <random>

namespace agentd {

std::string RandomIds::next(std::string_view prefix) {
  static constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
  static constexpr int kLength = 20;  // 103 bits
  thread_local std::random_device source;
  std::string id(prefix);
  id += '_';
  for (int i = 0; i < kLength; ++i) id += kAlphabet[source() % kAlphabet.size()];
  return id;
}

}  // namespace agentd
