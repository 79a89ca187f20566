// What endpoints say in words: our own wordings of what each vendor says, a row or more for every
// row of the table, and texts that are about something else.
#include "model/refusal_texts.h"

#include <doctest/doctest.h>

using namespace agentd::model;

namespace {

struct Example {
  FailureClass expected;
  const char* text;
};

using enum FailureClass;

const Example kExamples[] = {
    {context_overflow, "prompt is too long: 3 tokens > 2 maximum"},
    {context_overflow, "Prompt too long; exceeded max context length by 7 tokens"},
    {context_overflow, "input length and `max_tokens` exceed context limit: 9 + 8 > 10"},
    {context_overflow, "Your input exceeds the context window of this model."},
    {context_overflow, "This model's maximum context length is 5 tokens."},
    {context_overflow, "context_length_exceeded"},
    {context_overflow, "request (9 tokens) exceeds the available context size (5 tokens)"},
    {context_overflow, "exceed_context_size_error"},
    {context_overflow, "over the max context length of 8"},
    {context_overflow, "too_many_prompt_tokens"},
    {context_overflow, "The total length of all messages is too long."},
    {context_overflow, "Input is too long for requested model."},
    {context_overflow, "This model's maximum prompt length is 9 but the request has 10 tokens."},
    {context_overflow, "The input token count (9) exceeds the maximum number of tokens allowed."},

    {output_limit_refused,
     "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for x"},
    {output_limit_refused,
     "max_tokens is too large: 99999. This model supports at most 16384 completion tokens."},
    {output_limit_refused, "Invalid 'max_output_tokens': integer above maximum value."},
    {output_limit_refused, "`max_tokens` must be less than or equal to `8192`"},
    {output_limit_refused, "`max_completion_tokens` must be less than or equal to `8192`"},
    {output_limit_refused, "Invalid max_tokens, the valid range of max_tokens is [1, 8192]"},
    {output_limit_refused, "a maxOutputTokens value of 9 but the supported range is from 1 to 8"},
    {output_limit_refused, "The maximum tokens you requested exceeds the model limit of 8192."},
    {output_limit_refused, "max_tokens must not exceed 8192"},
    {output_limit_refused, "max_tokens cannot be greater than 8192"},

    {thinking_refused, "messages.1.content.0: Invalid `signature` in `thinking` block"},
    {thinking_refused, "messages.1.content.0.thinking.signature: Field required"},
    {thinking_refused, "`thinking` blocks in the latest assistant message cannot be modified."},
    {thinking_refused, "messages.3.content.0.type: Expected `thinking`, but found `tool_use`."},
    {thinking_refused, "a final assistant message must start with a thinking block"},
    {thinking_refused, "adaptive thinking is not supported on this model"},
    {thinking_refused, "Function call is missing a thought_signature in functionCall parts."},
    {thinking_refused, "Thought signature is not valid"},
    {thinking_refused, "Item 'rs_1' of type 'reasoning' was provided without what follows it."},
    {thinking_refused, "The encrypted content of item rs_1 could not be verified."},

    {image_refused, "image_dimensions_too_large"},
    {image_refused, "image_parse_error"},
    {image_refused, "messages[0]: unknown variant `image_url`, expected `text`"},
    {image_refused, "messages[1].content must be a string"},
    {image_refused, "messages: too many images and documents: 102 > 100"},
    {image_refused, "Could not process image"},
    {image_refused, "Unable to process input image"},
    {image_refused, "The image is too large"},
    {image_refused, "image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"},
    {image_refused, "At least one of the image dimensions exceed max allowed size: 8000 pixels"},
    {image_refused, "The image is too small: at least 10 pixels a side are needed"},
    {image_refused, "You uploaded an unsupported image."},
    {image_refused, "image input is not supported - hint: a projector is missing"},
    {image_refused, "image_url is only supported by certain models."},
    {image_refused, "No endpoints found that support image input"},
    {image_refused, "Image does not match the provided media type image/png"},
    {image_refused, "Failed to load image or audio file"},
    {image_refused, "Failed to decode image"},
    {image_refused, "At most 1 image(s) may be provided in one request."},
    {image_refused, "Invalid image."},
    {image_refused, "The image data you provided does not represent a valid image."},
    {image_refused, "x is not a multimodal model"},

    {billing, "Your credit balance is too low"},
    {billing, "You have reached your spend limit"},
    {billing, "monthly spending limit reached"},
    {billing, "You have reached your usage limit"},
    {billing, "check your plan and billing details"},
    {auth, "Incorrect API key provided."},
    {not_found, "a/b is not a valid model ID"},
    {not_found, "The supported API model names are a or b, but you passed c."},
    {not_found, "Model not found: c"},
};

}  // namespace

TEST_CASE("each vendor's words") {
  for (const Example& example : kExamples) {
    CAPTURE(example.text);
    const auto found = class_of_text(example.text);
    REQUIRE(found);
    CAPTURE(to_string(*found));
    CHECK(*found == example.expected);
  }
}

TEST_CASE("words about something else") {
  for (const char* text :
       {"", "messages: text must not be empty", "temperature: range: 0..1",
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "Thinking mode does not support this tool_choice",
        "Invalid 'messages[3]'. Content blocks are expected to be either text or image_url type.",
        "unsupported content[].type", "Too many strict tools (21)."}) {
    CAPTURE(text);
    CHECK_FALSE(class_of_text(text));
  }
}

TEST_CASE("the number that is allowed") {
  const auto is = [](const char* text, std::int64_t expected) {
    CAPTURE(text);
    CHECK(allowed_output(text) == expected);
  };
  is("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for "
     "claude-3-5-haiku-20241022",
     8192);
  is("max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas "
     "you provided 99999.",
     16384);
  is("Expected a value <= 32768, but got 64000 instead.", 32768);
  is("the valid range of max_tokens is [1, 8192]", 8192);
  is("the supported range is from 1 (inclusive) to 65537 (exclusive)", 65536);
  is("exceeds the model limit of 4096.", 4096);
  is("`max_tokens` must be less than or equal to `131072`", 131072);
  for (const char* text : {"", "max_tokens is invalid", "code 400", "model-8192 says no", "v8192.5",
                           "req_4096", "99999999999999999999999 is too large"}) {
    CAPTURE(text);
    CHECK_FALSE(allowed_output(text));
  }
}
