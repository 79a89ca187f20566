// The parts of schema that need no template. See schema.h.
#include "wire/schema.h"

#include <algorithm>

namespace agentd::wire {

bool Definitions::reserve(std::string_view name) {
  const auto same = [name](const Definition& definition) { return definition.name == name; };
  if (std::any_of(list_.begin(), list_.end(), same)) return false;
  list_.push_back({std::string(name), {}});
  return true;
}

void Definitions::set(std::string_view name, std::string schema) {
  for (Definition& definition : list_) {
    if (definition.name != name) continue;
    definition.schema = std::move(schema);
    return;
  }
}

namespace detail {

void append_doc(std::string& out, std::string_view doc) {
  if (doc.empty()) return;
  append_key(out, "description");
  append_string(out, doc);
}

void append_reference(std::string& out, std::string_view name, std::string_view doc) {
  out += R"({"$ref":"#/$defs/)";
  out += name;
  out += '"';
  append_doc(out, doc);
  out += '}';
}

void append_simple(std::string& out, std::string_view type, std::string_view doc,
                   const Limits& limits) {
  out += '{';
  if (!type.empty()) {
    append_key(out, "type");
    if (limits.nullable) out += '[';
    append_string(out, type);
    if (limits.nullable) out += R"(,"null"])";
  }
  append_doc(out, doc);
  if (limits.minimum) {
    append_key(out, "minimum");
    append_int(out, *limits.minimum);
  }
  if (limits.maximum) {
    append_key(out, "maximum");
    append_int(out, *limits.maximum);
  }
  out += '}';
}

void append_enum(std::string& out, const std::vector<EnumName>& names, std::string_view doc) {
  const bool documented = std::any_of(names.begin(), names.end(),
                                      [](const EnumName& name) { return !name.doc.empty(); });
  out += documented ? R"({"oneOf":[)" : R"({"type":"string","enum":[)";
  for (const EnumName& name : names) {
    append_comma(out);
    if (documented) out += R"({"const":)";
    append_string(out, name.text);
    if (!documented) continue;
    append_doc(out, name.doc);
    out += '}';
  }
  out += ']';
  append_doc(out, doc);
  out += '}';
}

}  // namespace detail
}  // namespace agentd::wire
