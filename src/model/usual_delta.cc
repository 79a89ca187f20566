#include "model/usual_delta.h"

#include <array>

#include "model/json_text.h"

namespace agentd::model {
namespace {

bool take(std::string_view& text, std::string_view expected) {
  if (text.substr(0, expected.size()) != expected) return false;
  text.remove_prefix(expected.size());
  return true;
}

void take_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// A block's number, at most six digits; more is not usual.
bool take_index(std::string_view& text, int& index) {
  std::size_t digits = 0;
  while (digits < text.size() && digits < 7 && text[digits] >= '0' && text[digits] <= '9') {
    index = index * 10 + (text[digits] - '0');
    ++digits;
  }
  const bool leading_zero = digits > 1 && text.front() == '0';
  text.remove_prefix(digits);
  return digits > 0 && digits < 7 && !leading_zero;
}

struct Shape {
  std::string_view opening;
  DeltaKind kind;
};

constexpr std::array<Shape, 3> kShapes = {{
    {R"(text_delta","text":")", DeltaKind::text},
    {R"(input_json_delta","partial_json":")", DeltaKind::input},
    {R"(thinking_delta","thinking":")", DeltaKind::thinking},
}};

bool take_shape(std::string_view& text, DeltaKind& kind) {
  for (const Shape& shape : kShapes) {
    if (take(text, shape.opening)) {
      kind = shape.kind;
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<UsualDelta> read_usual_delta(std::string_view data) {
  UsualDelta delta;
  if (!take(data, R"({"type":"content_block_delta","index":)")) return std::nullopt;
  if (!take_index(data, delta.index)) return std::nullopt;
  if (!take(data, R"(,"delta":{"type":")")) return std::nullopt;
  if (!take_shape(data, delta.kind)) return std::nullopt;
  const auto rest = read_string(data, delta.text);
  if (!rest) return std::nullopt;
  data = *rest;
  take_spaces(data);
  if (!take(data, "}")) return std::nullopt;
  take_spaces(data);
  if (!take(data, "}")) return std::nullopt;
  take_spaces(data);
  if (!data.empty()) return std::nullopt;
  return delta;
}

}  // namespace agentd::model
