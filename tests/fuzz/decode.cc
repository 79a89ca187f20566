// Fuzz: any bytes as the params of agent/start. What is accepted is written and read again to the
// same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "protocol/agent.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agentd;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto json = wire::parse(bytes);
  if (!json) return 0;
  const auto params = wire::decode<protocol::StartParams>(*json, "params");
  if (!params) return 0;
  const std::string text = wire::encode(*params);
  const auto again = wire::parse(text);
  if (!again) std::abort();
  const auto same = wire::decode<protocol::StartParams>(*again, "params");
  if (!same || wire::encode(*same) != text) std::abort();
  return 0;
}
