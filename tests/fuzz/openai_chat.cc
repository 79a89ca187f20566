// Fuzz: any bytes as the body of an answer of Chat Completions, with and without reasoning between
// tags, by the short way and by the parser alone.
#include "model/openai_chat_decoder.h"

#include "model_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  agentd::model::OpenAiChatDecoderOptions options;
  options.think_tags = (data[1] & 1) != 0;
  options.parser_only = (data[1] & 2) != 0;
  agentd::model::OpenAiChatDecoder decoder(options);
  agentd::fuzz::judge(decoder, {reinterpret_cast<const char*>(data) + 2, size - 2},
                      data[0] + std::size_t{1});
  return 0;
}
