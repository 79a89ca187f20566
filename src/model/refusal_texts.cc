#include "model/refusal_texts.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"

namespace agentd::model {
namespace {

struct Row {
  FailureClass failure_class;
  std::string_view phrase;     // case aside, as short as still means only this
  std::string_view with = {};  // and this anywhere in the text too
};

// The first row that fits counts: what is said of the window may name the output limit, and what is
// said of signatures or limits may name images.
constexpr Row kRows[] = {
    {FailureClass::context_overflow, "prompt is too long"},       // Anthropic
    {FailureClass::context_overflow, "prompt too long"},          // Ollama
    {FailureClass::context_overflow, "exceed context limit"},     // Anthropic: input + max_tokens
    {FailureClass::context_overflow, "context window"},           // OpenAI Responses
    {FailureClass::context_overflow, "maximum context length"},   // OpenAI, DeepSeek, OpenRouter
    {FailureClass::context_overflow, "context_length_exceeded"},  // OpenAI's code
    {FailureClass::context_overflow, "available context size"},   // llama.cpp
    {FailureClass::context_overflow, "exceed_context_size"},      // llama.cpp's type
    {FailureClass::context_overflow, "max context length"},       // Ollama
    {FailureClass::context_overflow, "too_many_prompt_tokens"},   // Perplexity's type
    {FailureClass::context_overflow, "messages is too long"},     // Perplexity
    {FailureClass::context_overflow, "input is too long"},        // Bedrock
    {FailureClass::context_overflow, "maximum prompt length"},    // xAI
    {FailureClass::context_overflow, "input token count", "exceeds"},  // Gemini

    {FailureClass::output_limit_refused, "maximum allowed number of output tokens"},  // Anthropic
    {FailureClass::output_limit_refused, "tokens is too large", "at most"},           // OpenAI
    {FailureClass::output_limit_refused, "above maximum value", "tokens"},
    {FailureClass::output_limit_refused, "max_tokens", "less than or equal to"},  // Groq
    {FailureClass::output_limit_refused, "max_completion_tokens", "less than or equal to"},
    {FailureClass::output_limit_refused, "range of max_tokens"},              // DeepSeek, Qwen
    {FailureClass::output_limit_refused, "maxoutputtokens", "range"},         // Gemini
    {FailureClass::output_limit_refused, "maximum tokens you requested"},     // Bedrock
    {FailureClass::output_limit_refused, "max_tokens", "must not exceed"},    // Mistral, Z.ai
    {FailureClass::output_limit_refused, "max_tokens", "cannot be greater"},  // Cohere, Fireworks

    {FailureClass::thinking_refused, "signature", "thinking"},  // Anthropic: not its own
    {FailureClass::thinking_refused, "thinking", "cannot be modified"},
    {FailureClass::thinking_refused, "expected `thinking`"},  // one is missing
    {FailureClass::thinking_refused, "start with a thinking block"},
    {FailureClass::thinking_refused, "adaptive", "thinking"},     // a gateway to an older model
    {FailureClass::thinking_refused, "thought_signature"},        // Gemini
    {FailureClass::thinking_refused, "thought signature"},        //
    {FailureClass::thinking_refused, "of type 'reasoning' was"},  // OpenAI Responses
    {FailureClass::thinking_refused, "encrypted content", "verified"},

    {FailureClass::image_refused, "image_dimensions_too_large"},  // Anthropic's code
    {FailureClass::image_refused, "image_parse_error"},           // OpenAI's
    {FailureClass::image_refused, "variant `image_url`"},         // DeepSeek: text only
    {FailureClass::image_refused, "content must be a string"},    // Groq: text only
    {FailureClass::image_refused, "too many images"},
    {FailureClass::image_refused, "image", "could not process"},
    {FailureClass::image_refused, "image", "unable to process"},
    {FailureClass::image_refused, "image", "too large"},
    {FailureClass::image_refused, "image", "exceed"},
    {FailureClass::image_refused, "image", "too small"},
    {FailureClass::image_refused, "image", "unsupported"},
    {FailureClass::image_refused, "image", "not support"},
    {FailureClass::image_refused, "image", "only supported"},
    {FailureClass::image_refused, "image", "support image"},   // OpenRouter: no endpoints that do
    {FailureClass::image_refused, "image", "media type"},      // its bytes are another format
    {FailureClass::image_refused, "image", "failed to load"},  // llama.cpp
    {FailureClass::image_refused, "image", "failed to decode"},
    {FailureClass::image_refused, "image", "may be provided"},  // vLLM: at most so many
    {FailureClass::image_refused, "invalid image"},
    {FailureClass::image_refused, "valid image"},
    {FailureClass::image_refused, "not a multimodal model"},  // vLLM

    {FailureClass::billing, "credit balance"},
    {FailureClass::billing, "spend limit"},
    {FailureClass::billing, "spending limit"},
    {FailureClass::billing, "usage limit"},
    {FailureClass::billing, "billing"},
    {FailureClass::auth, "incorrect api key"},               // xAI, with a 400
    {FailureClass::not_found, "valid model id"},             // OpenRouter, with a 400
    {FailureClass::not_found, "supported api model names"},  // DeepSeek
    {FailureClass::not_found, "model not found"},            // xAI
};

bool fits(const Row& row, std::string_view text) {
  return ascii::contains(text, row.phrase) && ascii::contains(text, row.with);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What makes a number a part of a name, of a date or of a fraction.
bool joins(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

bool joins_with_digit(std::string_view text, std::size_t dot, std::size_t digit) {
  return dot < text.size() && text[dot] == '.' && digit < text.size() && is_digit(text[digit]);
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && (joins(text[begin - 1]) || joins_with_digit(text, begin - 1, begin - 2))) {
    return false;
  }
  return end == text.size() || !(joins(text[end]) || joins_with_digit(text, end, end + 1));
}

}  // namespace

std::optional<FailureClass> class_of_text(std::string_view text) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [text](const Row& each) { return fits(each, text); });
  if (row == std::end(kRows)) return std::nullopt;
  return row->failure_class;
}

bool blames_content(FailureClass failure_class) {
  return failure_class == FailureClass::context_overflow ||
         failure_class == FailureClass::image_refused ||
         failure_class == FailureClass::thinking_refused ||
         failure_class == FailureClass::output_limit_refused;
}

bool names_image(std::string_view text) {
  return ascii::contains(text, "image");
}

std::optional<std::int64_t> allowed_output(std::string_view text) {
  constexpr std::int64_t kLeast = 1'000;
  constexpr std::string_view kExclusive = " (exclusive)";  // Gemini
  std::optional<std::int64_t> smallest;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    const auto end = static_cast<std::size_t>(stop - text.data());
    if (text.substr(end).starts_with(kExclusive)) --number;
    const bool usable = error == std::errc() && number >= kLeast && stands_alone(text, i, end);
    if (usable && number < smallest.value_or(number + 1)) smallest = number;
    i = end;
  }
  return smallest;
}

}  // namespace agentd::model
