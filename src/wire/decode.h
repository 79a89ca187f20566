// decode: foreign JSON into a described struct (description.h). An error names the path of the
// fault, what was expected and what came: `params.prompt[1].type: expected "text" or "image", got
// "video"`; `where` is the path alone. Unknown members are ignored. Pure, any thread.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "wire/description.h"

namespace agentd::wire {

/// How forgiving decode is about types.
enum class Policy {
  strict,    // a client's message: what the schema says
  lossless,  // a model's tool input: "10" for 10, "true" for true, a string holding a JSON array
             // or object for that array or object; a string is never taken apart where a string
             // is declared. Errors quote what came and list the names there are.
};

/// Where a value stands; a list on the stack, written out only when there is a fault.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;   // of a member
  std::size_t index = 0;  // of an element, if `key` is empty
};

std::string to_string(const Path& path);

/// One decode on its way.
struct Decoding {
  Policy policy = Policy::strict;
  Error fault;
};

namespace detail {

/// Each sets the fault and returns false.
bool refuse(Decoding& decoding, const Path& path, std::string message);
bool expected(Decoding& decoding, const Path& path, std::string_view what, const Json& got);

bool decode_string(const Json& in, std::string& out, const Limits& limits, const Path& path,
                   Decoding& decoding);
bool decode_integer(const Json& in, std::int64_t& out, const Limits& limits, const Path& path,
                    Decoding& decoding);
bool decode_double(const Json& in, double& out, const Limits& limits, const Path& path,
                   Decoding& decoding);
bool decode_boolean(const Json& in, bool& out, const Path& path, Decoding& decoding);

/// `in` if it is an array (object); under the lossless policy also what a string holds, kept in
/// `storage`. Nullptr after setting the fault.
const Json* as_array(const Json& in, Json& storage, const Path& path, Decoding& decoding);
const Json* as_object(const Json& in, Json& storage, const Path& path, Decoding& decoding);

/// The member, or nullptr if there is none or it is null.
const Json* present(const Json& object, std::string_view key);

/// The value as JSON text, cut: whoever wrote it corrects it better when it is shown.
std::string quoted(const Json& value);

/// `"a" or "b"`, `one of "a", "b", "c"`.
std::string alternatives(const std::vector<std::string_view>& names);

/// Under the lossless policy: what was given and what there is, to be added to "missing".
std::string names_given(const Json& object, const std::vector<std::string_view>& declared);

struct KeyCollector {
  std::vector<std::string_view> keys;
  template <class Member>
  void operator()(std::string_view key, Member, std::string_view, const Limits& = {}) {
    keys.push_back(key);
  }
};

template <class T>
std::string expectation();

template <class T>
bool decode_value(const Json& in, T& out, const Limits& limits, const Path& path,
                  Decoding& decoding);

template <class T>
struct MemberDecoder {
  const Json& in;
  T& object;
  const Path& path;
  Decoding& decoding;
  bool good = true;

  template <class Owner, class Member>
  void operator()(std::string_view key, Member Owner::* member, std::string_view /*doc*/,
                  const Limits& limits = {}) {
    if (!good) return;
    const Path here{&path, key, 0};
    const Json* found = present(in, key);
    if constexpr (is_optional<Member>) {
      if (found == nullptr) {
        (object.*member).reset();
        return;
      }
      good = decode_value(*found, (object.*member).emplace(), limits, here, decoding);
    } else if (found != nullptr) {
      good = decode_value(*found, object.*member, limits, here, decoding);
    } else {
      good = missing<Member>(here);
    }
  }

  template <class Member>
  bool missing(const Path& here) {
    std::string message = "missing, expected " + expectation<Member>();
    if (decoding.policy == Policy::lossless) {
      KeyCollector collector;
      T::fields(collector);
      message += names_given(in, collector.keys);
    }
    return refuse(decoding, here, std::move(message));
  }
};

template <Described T>
bool decode_struct(const Json& in, T& out, const Path& path, Decoding& decoding) {
  Json storage;
  const Json* object = as_object(in, storage, path, decoding);
  if (object == nullptr) return false;
  MemberDecoder<T> decoder{*object, out, path, decoding};
  T::fields(decoder);
  return decoder.good;
}

template <NamedEnum Enum>
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const auto& name : wire_names(Enum{}).list) names.push_back(name.text);
  return names;
}

template <NamedEnum Enum>
bool decode_enum(const Json& in, Enum& out, const Path& path, Decoding& decoding) {
  if (in.is_string()) {
    for (const auto& name : wire_names(Enum{}).list) {
      if (in.get_ref<const std::string&>() == name.text) {
        out = name.value;
        return true;
      }
    }
    return refuse(decoding, path, "expected " + expectation<Enum>() + ", got " + quoted(in));
  }
  return expected(decoding, path, expectation<Enum>(), in);
}

template <class... Ts>
bool decode_union(const Json& in, std::variant<Ts...>& out, const Path& path, Decoding& decoding) {
  Json storage;
  const Json* object = as_object(in, storage, path, decoding);
  if (object == nullptr) return false;
  const Path type_path{&path, "type", 0};
  const std::string types = alternatives({Ts::kType...});
  const Json* type = present(*object, "type");
  if (type == nullptr) return refuse(decoding, type_path, "missing, expected " + types);
  if (!type->is_string()) return expected(decoding, type_path, types, *type);
  const auto& name = type->get_ref<const std::string&>();
  bool good = false;
  const auto attempt = [&]<class T>(std::type_identity<T>) {
    if (name != T::kType) return false;
    good = decode_struct(*object, out.template emplace<T>(), path, decoding);
    return true;
  };
  if ((attempt(std::type_identity<Ts>{}) || ...)) return good;
  return refuse(decoding, type_path, "expected " + types + ", got \"" + name.substr(0, 80) + "\"");
}

template <class T>
bool decode_elements(const Json& in, std::vector<T>& out, const Limits& limits, const Path& path,
                     Decoding& decoding) {
  Json storage;
  const Json* array = as_array(in, storage, path, decoding);
  if (array == nullptr) return false;
  out.clear();
  out.reserve(array->size());
  for (const Json& element : *array) {
    const Path here{&path, {}, out.size()};
    if (!decode_value(element, out.emplace_back(), limits, here, decoding)) return false;
  }
  return true;
}

template <class T>
bool decode_string_or_array(const Json& in, std::variant<std::string, std::vector<T>>& out,
                            const Limits& limits, const Path& path, Decoding& decoding) {
  if (in.is_string()) {
    return decode_string(in, out.template emplace<std::string>(), limits, path, decoding);
  }
  if (!in.is_array()) return expected(decoding, path, "a string or an array", in);
  return decode_elements(in, out.template emplace<std::vector<T>>(), limits, path, decoding);
}

template <class T>
bool decode_value(const Json& in, T& out, const Limits& limits, const Path& path,
                  Decoding& decoding) {
  if constexpr (Described<T>) {
    return decode_struct(in, out, path, decoding);
  } else if constexpr (std::same_as<T, std::string>) {
    return decode_string(in, out, limits, path, decoding);
  } else if constexpr (std::same_as<T, bool>) {
    return decode_boolean(in, out, path, decoding);
  } else if constexpr (is_integer<T>) {
    Limits narrowed = limits;
    if (!narrowed.minimum) narrowed.minimum = std::numeric_limits<T>::min();
    if (!narrowed.maximum) narrowed.maximum = std::numeric_limits<T>::max();
    std::int64_t number = 0;
    if (!decode_integer(in, number, narrowed, path, decoding)) return false;
    out = static_cast<T>(number);
    return true;
  } else if constexpr (std::same_as<T, double>) {
    return decode_double(in, out, limits, path, decoding);
  } else if constexpr (std::same_as<T, Json>) {
    if (!limits.object) {
      out = in;
      return true;
    }
    Json storage;
    const Json* object = as_object(in, storage, path, decoding);
    if (object != nullptr) out = *object;
    return object != nullptr;
  } else if constexpr (NamedEnum<T>) {
    return decode_enum(in, out, path, decoding);
  } else if constexpr (is_vector<T>) {
    return decode_elements(in, out, limits, path, decoding);
  } else if constexpr (is_union<T>) {
    return decode_union(in, out, path, decoding);
  } else if constexpr (is_string_or_array<T>) {
    return decode_string_or_array(in, out, limits, path, decoding);
  } else {
    static_assert(always_false<T>, "wire cannot decode this type: see description.h");
  }
}

template <class T>
std::string expectation() {
  if constexpr (std::same_as<T, std::string>)
    return "a string";
  else if constexpr (std::same_as<T, bool>)
    return "a boolean";
  else if constexpr (is_integer<T>)
    return "an integer";
  else if constexpr (std::same_as<T, double>)
    return "a number";
  else if constexpr (NamedEnum<T>)
    return alternatives(all_names<T>());
  else if constexpr (is_vector<T>)
    return "an array";
  else if constexpr (is_string_or_array<T>)
    return "a string or an array";
  else if constexpr (std::same_as<T, Json>)
    return "a value";
  else
    return "an object";
}

}  // namespace detail

/// `json` as a T. `root` begins the path ("params"); empty for tool inputs. No params at all
/// (null) counts as an empty object.
template <Described T>
Result<T> decode(const Json& json, std::string_view root, Policy policy = Policy::strict) {
  T out{};
  Decoding decoding{policy, {}};
  const Path path{nullptr, root, 0};
  const Json nothing = Json::object();
  if (!detail::decode_struct(json.is_null() ? nothing : json, out, path, decoding)) {
    return std::move(decoding.fault);
  }
  return out;
}

}  // namespace agentd::wire
