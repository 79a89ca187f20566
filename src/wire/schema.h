// schema: JSON Schema (draft 2020-12) of a described struct (description.h), as text with its
// members in declared order. With a Definitions set, structs and enums that have a name become
// references into it; without, all is written where it is used. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/description.h"
#include "wire/text.h"

namespace agentd::wire {

struct Definition {
  std::string name;
  std::string schema;
};

/// What `#/$defs/` holds, in the order met.
class Definitions {
 public:
  /// True if `name` was not there: the caller writes it, then calls set().
  bool reserve(std::string_view name);
  void set(std::string_view name, std::string schema);
  const std::vector<Definition>& all() const { return list_; }

 private:
  std::vector<Definition> list_;
};

template <class T>
void append_schema(std::string& out, std::string_view doc, const Limits& limits,
                   Definitions* definitions);

namespace detail {

void append_doc(std::string& out, std::string_view doc);
void append_reference(std::string& out, std::string_view name, std::string_view doc);
/// `{"type":"integer",...}` and its like, with null beside the type where that is welcome.
void append_simple(std::string& out, std::string_view type, std::string_view doc,
                   const Limits& limits);

struct EnumName {
  std::string_view text;
  std::string_view doc;
};
void append_enum(std::string& out, const std::vector<EnumName>& names, std::string_view doc);

template <class T>
struct remove_optional {
  using type = T;
};
template <class T>
struct remove_optional<std::optional<T>> {
  using type = T;
};

struct PropertyWriter {
  std::string& properties;
  std::string& required;
  Definitions* definitions;

  template <class Owner, class Member>
  void operator()(std::string_view key, Member Owner::*, std::string_view doc,
                  const Limits& limits = {}) {
    append_key(properties, key);
    append_schema<typename remove_optional<Member>::type>(properties, doc, limits, definitions);
    if (!is_optional<Member>) {
      append_comma(required);
      append_string(required, key);
    }
  }
};

template <Described T>
std::string_view doc_of() {
  if constexpr (requires { std::string_view(T::kDoc); }) return T::kDoc;
  return {};
}

template <Described T>
void append_struct(std::string& out, std::string_view doc, Definitions* definitions) {
  std::string properties = "{";
  std::string required = "[";
  if constexpr (Tagged<T>) {
    properties += R"("type":{"const":")" + std::string(T::kType) + R"("})";
    required += R"("type")";
  }
  PropertyWriter writer{properties, required, definitions};
  T::fields(writer);
  out += R"({"type":"object")";
  append_doc(out, doc);
  out += R"(,"properties":)" + properties + '}';
  if (required != "[") out += R"(,"required":)" + required + ']';
  if (definitions == nullptr) out += R"(,"additionalProperties":false)";
  out += '}';
}

template <class... Ts>
void append_union(std::string& out, std::string_view doc, Definitions* definitions,
                  std::type_identity<std::variant<Ts...>>) {
  out += R"({"oneOf":[)";
  ((append_comma(out), append_schema<Ts>(out, {}, {}, definitions)), ...);
  out += ']';
  append_doc(out, doc);
  out += '}';
}

template <class T>
void append_string_or_array(std::string& out, std::string_view doc, const Limits& limits,
                            Definitions* definitions,
                            std::type_identity<std::variant<std::string, std::vector<T>>>) {
  out += R"({"anyOf":[{"type":"string"},{"type":"array","items":)";
  append_schema<T>(out, {}, limits, definitions);
  out += "}]";
  append_doc(out, doc);
  out += '}';
}

template <NamedEnum Enum>
std::vector<EnumName> enum_names() {
  std::vector<EnumName> list;
  for (const auto& name : wire_names(Enum{}).list) list.push_back({name.text, name.doc});
  return list;
}

}  // namespace detail

/// The schema of a T at the end of `out`.
template <class T>
void append_schema(std::string& out, std::string_view doc, const Limits& limits,
                   Definitions* definitions) {
  if constexpr (Described<T>) {
    if constexpr (Named<T>) {
      if (definitions != nullptr) {
        if (definitions->reserve(T::kName)) {
          std::string definition;
          detail::append_struct<T>(definition, detail::doc_of<T>(), definitions);
          definitions->set(T::kName, std::move(definition));
        }
        return detail::append_reference(out, T::kName, doc);
      }
    }
    detail::append_struct<T>(out, doc.empty() ? detail::doc_of<T>() : doc, definitions);
  } else if constexpr (NamedEnum<T>) {
    const std::string_view title = wire_names(T{}).title;
    if (definitions == nullptr || title.empty()) {
      return detail::append_enum(out, detail::enum_names<T>(), doc);
    }
    if (definitions->reserve(title)) {
      std::string definition;
      detail::append_enum(definition, detail::enum_names<T>(), {});
      definitions->set(title, std::move(definition));
    }
    detail::append_reference(out, title, doc);
  } else if constexpr (std::same_as<T, std::string>) {
    detail::append_simple(out, "string", doc, limits);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    detail::append_simple(out, "null", doc, {});
  } else if constexpr (std::same_as<T, bool>) {
    detail::append_simple(out, "boolean", doc, limits);
  } else if constexpr (is_integer<T>) {
    detail::append_simple(out, "integer", doc, limits);
  } else if constexpr (std::same_as<T, double>) {
    detail::append_simple(out, "number", doc, limits);
  } else if constexpr (std::same_as<T, Json>) {
    detail::append_simple(out, limits.object ? "object" : "", doc, limits);
  } else if constexpr (is_vector<T>) {
    out += R"({"type":"array")";
    detail::append_doc(out, doc);
    out += R"(,"items":)";
    append_schema<typename T::value_type>(out, {}, limits, definitions);
    out += '}';
  } else if constexpr (is_union<T>) {
    detail::append_union(out, doc, definitions, std::type_identity<T>{});
  } else if constexpr (is_string_or_array<T>) {
    detail::append_string_or_array(out, doc, limits, definitions, std::type_identity<T>{});
  } else {
    static_assert(always_false<T>, "wire cannot describe this type: see description.h");
  }
}

/// A schema that stands alone, as a tool's input is declared to a model: no references, no further
/// properties.
template <Described T>
std::string schema_text() {
  std::string out;
  append_schema<T>(out, {}, {}, nullptr);
  return out;
}

}  // namespace agentd::wire
