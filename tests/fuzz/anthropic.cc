// Fuzz: any bytes as the body of an answer of the Messages API.
#include "model/anthropic_decoder.h"

#include "model_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  agentd::model::AnthropicDecoder decoder;
  agentd::fuzz::judge(decoder, {reinterpret_cast<const char*>(data) + 1, size - 1},
                      data[0] + std::size_t{1});
  return 0;
}
