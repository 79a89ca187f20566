// The parts of decode that need no template. See decode.h.
#include "wire/decode.h"

#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "wire/parse.h"
#include "wire/text.h"

namespace agentd::wire {
namespace {

constexpr std::size_t kMaximumQuote = 80;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: below it a double is exact

std::string_view kind_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "a boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "a number";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::binary:
    case Json::value_t::discarded:
      return "nothing";
  }
  return "nothing";
}

std::string what_came(const Json& got, Policy policy) {
  std::string came(kind_of(got));
  if (policy == Policy::lossless && !got.is_null()) came += ": " + detail::quoted(got);
  return came;
}

/// The whole of `text` as a number of the type of `out`.
template <class Number>
bool whole_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string integer_expectation(const Limits& limits) {
  const bool low = limits.minimum.value_or(INT64_MIN) > INT32_MIN;
  const bool high = limits.maximum.value_or(INT64_MAX) < INT32_MAX;
  if (low && high) {
    return "an integer from " + std::to_string(*limits.minimum) + " to " +
           std::to_string(*limits.maximum);
  }
  if (low) return "an integer of at least " + std::to_string(*limits.minimum);
  if (high) return "an integer of at most " + std::to_string(*limits.maximum);
  return "an integer";
}

/// What a string holds, if that is JSON of the kind looked for.
bool unwrap(const Json& in, Json::value_t kind, Json& storage) {
  if (!in.is_string()) return false;
  const auto& text = in.get_ref<const std::string&>();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const char opener = kind == Json::value_t::array ? '[' : '{';
  if (first == std::string::npos || text[first] != opener) return false;
  Result<Json> parsed = parse(text);
  if (!parsed || parsed->type() != kind) return false;
  storage = std::move(*parsed);
  return true;
}

}  // namespace

std::string to_string(const Path& path) {
  std::string text = path.parent == nullptr ? std::string() : to_string(*path.parent);
  if (path.key.empty()) {
    if (path.parent != nullptr) text += "[" + std::to_string(path.index) + "]";
    return text;
  }
  if (!text.empty()) text += '.';
  text += path.key;
  return text;
}

namespace detail {

std::string quoted(const Json& value) {
  std::string text;
  if (value.is_string()) {
    // Only as much as is shown: the string may be megabytes.
    const std::string& whole = value.get_ref<const std::string&>();
    append_string(text, utf8::head(whole, kMaximumQuote));
    return whole.size() > kMaximumQuote ? text + "..." : text;
  }
  append_json(text, value);
  const bool cut = text.size() > kMaximumQuote;
  return std::string(utf8::head(text, kMaximumQuote)) + (cut ? "..." : "");
}

bool refuse(Decoding& decoding, const Path& path, std::string message) {
  std::string where = to_string(path);
  std::string subject = where.empty() ? "input" : where;
  decoding.fault = make_error(Code::invalid_input, subject + ": " + message, std::move(where));
  return false;
}

bool expected(Decoding& decoding, const Path& path, std::string_view what, const Json& got) {
  return refuse(decoding, path,
                "expected " + std::string(what) + ", got " + what_came(got, decoding.policy));
}

bool decode_string(const Json& in, std::string& out, const Limits& limits, const Path& path,
                   Decoding& decoding) {
  const bool lossless = decoding.policy == Policy::lossless;
  if (in.is_string()) {
    out = in.get_ref<const std::string&>();
  } else if (lossless && (in.is_number_integer() || in.is_boolean())) {
    out.clear();
    append_json(out, in);
  } else {
    return expected(decoding, path, "a string", in);
  }
  if (limits.no_nul && out.find('\0') != std::string::npos) {
    return refuse(decoding, path, "must not contain a NUL character");
  }
  return true;
}

bool decode_integer(const Json& in, std::int64_t& out, const Limits& limits, const Path& path,
                    Decoding& decoding) {
  bool is_integer = false;
  if (in.is_number_unsigned()) {
    const auto number = in.get<std::uint64_t>();
    is_integer = number <= INT64_MAX;
    out = static_cast<std::int64_t>(number);
  } else if (in.is_number_integer()) {
    out = in.get<std::int64_t>();
    is_integer = true;
  } else if (in.is_number_float()) {  // JSON has one kind of number: 5.0 is 5
    const auto number = in.get<double>();
    is_integer = std::trunc(number) == number && std::abs(number) <= kExactIntegers;
    if (is_integer) out = static_cast<std::int64_t>(number);
  } else if (in.is_string() && decoding.policy == Policy::lossless) {
    is_integer = whole_number(in.get_ref<const std::string&>(), out);
  }
  if (!is_integer) return expected(decoding, path, integer_expectation(limits), in);
  if ((limits.minimum && out < *limits.minimum) || (limits.maximum && out > *limits.maximum)) {
    return refuse(decoding, path,
                  "expected " + integer_expectation(limits) + ", got " + std::to_string(out));
  }
  return true;
}

bool decode_double(const Json& in, double& out, const Limits& limits, const Path& path,
                   Decoding& decoding) {
  bool is_number = in.is_number();
  if (is_number) {
    out = in.get<double>();
  } else if (in.is_string() && decoding.policy == Policy::lossless) {
    is_number = whole_number(in.get_ref<const std::string&>(), out) && std::isfinite(out);
  }
  if (!is_number) return expected(decoding, path, "a number", in);
  if (limits.minimum && out < static_cast<double>(*limits.minimum)) {
    return expected(decoding, path, "a number of at least " + std::to_string(*limits.minimum), in);
  }
  if (limits.maximum && out > static_cast<double>(*limits.maximum)) {
    return expected(decoding, path, "a number of at most " + std::to_string(*limits.maximum), in);
  }
  return true;
}

bool decode_boolean(const Json& in, bool& out, const Path& path, Decoding& decoding) {
  if (in.is_boolean()) {
    out = in.get<bool>();
    return true;
  }
  if (in.is_string() && decoding.policy == Policy::lossless) {
    const auto& text = in.get_ref<const std::string&>();
    out = text == "true";
    if (out || text == "false") return true;
  }
  return expected(decoding, path, "a boolean", in);
}

const Json* as_array(const Json& in, Json& storage, const Path& path, Decoding& decoding) {
  if (in.is_array()) return &in;
  if (decoding.policy == Policy::lossless && unwrap(in, Json::value_t::array, storage)) {
    return &storage;
  }
  expected(decoding, path, "an array", in);
  return nullptr;
}

const Json* as_object(const Json& in, Json& storage, const Path& path, Decoding& decoding) {
  if (in.is_object()) return &in;
  if (decoding.policy == Policy::lossless && unwrap(in, Json::value_t::object, storage)) {
    return &storage;
  }
  expected(decoding, path, "an object", in);
  return nullptr;
}

const Json* present(const Json& object, std::string_view key) {
  return member(object, key);
}

std::string alternatives(const std::vector<std::string_view>& names) {
  std::string text = names.size() > 2 ? "one of " : "";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += names.size() == 2 ? " or " : ", ";
    text += '"';
    text += names[i];
    text += '"';
  }
  return text;
}

std::string names_given(const Json& object, const std::vector<std::string_view>& declared) {
  std::string unknown;
  for (const auto& entry : object.items()) {
    bool known = false;
    for (const std::string_view name : declared) known = known || name == entry.key();
    if (known || unknown.size() > kMaximumQuote) continue;
    unknown += unknown.empty() ? "" : ", ";
    unknown += quoted(Json(entry.key()));
  }
  if (unknown.empty()) return "";
  std::string text = " (unknown: " + unknown + "; known are: ";
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (i > 0) text += ", ";
    text += declared[i];
  }
  return text + ")";
}

}  // namespace detail
}  // namespace agentd::wire
