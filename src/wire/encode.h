// encode: a described struct (description.h) straight to JSON text, no tree in between. Absent
// optionals are left out. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "wire/description.h"
#include "wire/text.h"

namespace agentd::wire {

template <class T>
void append(std::string& out, const T& value);

namespace detail {

template <class T>
struct MemberAppender {
  std::string& out;
  const T& object;

  template <class Owner, class Member>
  void operator()(std::string_view key, Member Owner::* member, std::string_view /*doc*/,
                  const Limits& /*limits*/ = {}) {
    const Member& value = object.*member;
    if constexpr (is_optional<Member>) {
      if (!value.has_value()) return;
      append_key(out, key);
      append(out, *value);
    } else {
      append_key(out, key);
      append(out, value);
    }
  }
};

}  // namespace detail

/// The members of `value` without the braces, with a comma before the first unless `out` ends in
/// `{`: for writers that put members of their own beside them.
template <Described T>
void append_members(std::string& out, const T& value) {
  if constexpr (Tagged<T>) {
    append_key(out, "type");
    append_string(out, T::kType);
  }
  detail::MemberAppender<T> appender{out, value};
  T::fields(appender);
}

/// `value` as JSON at the end of `out`.
template <class T>
void append(std::string& out, const T& value) {
  if constexpr (Described<T>) {
    out += '{';
    append_members(out, value);
    out += '}';
  } else if constexpr (std::same_as<T, std::string>) {
    append_string(out, value);
  } else if constexpr (std::same_as<T, bool>) {
    append_bool(out, value);
  } else if constexpr (is_integer<T>) {
    append_int(out, value);
  } else if constexpr (std::same_as<T, double>) {
    append_double(out, value);
  } else if constexpr (std::same_as<T, Json>) {
    append_json(out, value);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    out += "null";
  } else if constexpr (NamedEnum<T>) {
    out += '"';
    out += name_of(value);
    out += '"';
  } else if constexpr (is_vector<T>) {
    out += '[';
    for (const auto& element : value) {
      append_comma(out);
      append(out, element);
    }
    out += ']';
  } else if constexpr (is_union<T> || is_string_or_array<T>) {
    std::visit([&out](const auto& alternative) { append(out, alternative); }, value);
  } else {
    static_assert(always_false<T>, "wire cannot encode this type: see description.h");
  }
}

template <class T>
std::string encode(const T& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace agentd::wire
