#include "model/overflow.h"

#include <algorithm>
#include <array>

namespace agentd::model {
namespace {

// In lower case; as short as still means only this.
constexpr std::array<std::string_view, 12> kPhrases = {
    "prompt is too long",       // Anthropic
    "prompt too long",          // Ollama
    "exceed context limit",     // Anthropic: input plus max_tokens over the window
    "context window",           // OpenAI Responses
    "maximum context length",   // OpenAI chat and those that copy it: DeepSeek, OpenRouter
    "context_length_exceeded",  // OpenAI's code
    "available context size",   // llama.cpp
    "exceed_context_size",      // llama.cpp's type
    "max context length",       // Ollama
    "too_many_prompt_tokens",   // Perplexity's type
    "messages is too long",     // Perplexity
    "input is too long",        // Bedrock
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool contains(std::string_view text, std::string_view phrase) {
  const auto same = [](char a, char b) { return lower(a) == b; };
  return std::search(text.begin(), text.end(), phrase.begin(), phrase.end(), same) != text.end();
}

}  // namespace

bool says_context_overflow(std::string_view text) {
  return std::any_of(kPhrases.begin(), kPhrases.end(),
                     [&](std::string_view phrase) { return contains(text, phrase); });
}

}  // namespace agentd::model
