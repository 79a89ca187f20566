// What a struct says about itself so that wire/ can encode it, decode it and write its schema:
//
//   struct GrepInput {
//     std::string pattern;
//     std::optional<std::int64_t> head_limit;
//     static void fields(auto& field) {
//       field("pattern", &GrepInput::pattern, "The regular expression to look for.");
//       field("head_limit", &GrepInput::head_limit, "At most this many lines.", {.minimum = 1});
//     }
//   };
//
// Members may be std::string, bool, int, int64_t, double, Json (any value), enums with a name
// table, structs like this one, std::vector and std::optional of these, unions (std::variant of
// structs that each say `static constexpr std::string_view kType = "..."`: their `type` member),
// and std::variant<std::string, std::vector<T>>. An optional is the only thing that may be absent;
// null counts as absent. Also, where wanted: `kName` (its name in a shared schema) and `kDoc`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>  // whole: a std::optional<Json> of an incomplete Json goes wrong silently
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace agentd::wire {

using Json = nlohmann::json;

/// What a value must keep besides its type. Of a vector they bind each element.
struct Limits {
  std::optional<std::int64_t> minimum = {};  // of an integer or double
  std::optional<std::int64_t> maximum = {};
  bool no_nul = false;    // a string that becomes a path or an argument
  bool object = false;    // a Json that must be an object
  bool nullable = false;  // the schema says that null is welcome (it always counts as absent)
};

inline constexpr Limits kNoNul{.no_nul = true};

/// Visits nothing; only there to ask whether a struct has `fields`.
struct NullVisitor {
  template <class Member>
  void operator()(std::string_view, Member, std::string_view, const Limits& = {}) {}
};

template <class T>
concept Described = requires(NullVisitor& visitor) { T::fields(visitor); };

template <class T>
concept Tagged = Described<T> && requires { std::string_view(T::kType); };

template <class T>
concept Named = requires { std::string_view(T::kName); };

/// One enumerator's name on the wire.
template <class Enum>
struct Name {
  Enum value;
  std::string_view text;
  std::string_view doc = {};
};

/// The names of an enum; found by argument-dependent lookup of wire_names(Enum):
///
///   constexpr auto wire_names(Level) {
///     return wire::names<Level>("Level", {{Level::info, "info", "..."}, {Level::error, "error"}});
///   }
template <class Enum, std::size_t count>
struct NameTable {
  std::string_view title;  // its name in a shared schema; empty: written where it is used
  std::array<Name<Enum>, count> list;
};

template <class Enum, std::size_t count>
constexpr NameTable<Enum, count> names(std::string_view title, const Name<Enum> (&list)[count]) {
  // A pack, not a loop over a default-made array: g++ 12 does not take that for a constant.
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return NameTable<Enum, count>{title, {{list[index]...}}};
  }(std::make_index_sequence<count>{});
}

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { wire_names(value).list; };

/// The name of `value`; empty if the table forgot it.
template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  constexpr auto table = wire_names(Enum{});
  for (const auto& name : table.list) {
    if (name.value == value) return name.text;
  }
  return {};
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_string_or_array = false;
template <class T>
inline constexpr bool is_string_or_array<std::variant<std::string, std::vector<T>>> = true;

template <class T>
inline constexpr bool is_union = false;
template <Tagged... Ts>
inline constexpr bool is_union<std::variant<Ts...>> = true;

template <class T>
inline constexpr bool is_integer =
    std::signed_integral<T> && !std::same_as<T, bool> && sizeof(T) >= sizeof(int);

template <class T>
inline constexpr bool always_false = false;

}  // namespace agentd::wire
