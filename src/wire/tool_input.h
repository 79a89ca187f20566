// A model's tool input: checked, and brought to the declared types where that loses nothing. Pure,
// any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"
#include "wire/schema.h"

namespace agentd::wire {

/// `input` as it is if it has the declared types already, else with what could be turned into
/// them (Policy::lossless). The error tells the model how to correct itself.
template <Described T>
Result<Json> coerce(const Json& input) {
  if (decode<T>(input, {}, Policy::strict)) return input;
  Result<T> value = decode<T>(input, {}, Policy::lossless);
  if (!value) return std::move(value.error());
  return parse(encode(*value));
}

/// The schema of a tool's input as a model is told of it.
template <Described T>
Json input_schema() {
  return parse(schema_text<T>()).value_or(Json());  // our own text: it parses
}

}  // namespace agentd::wire
