// README.md of the contract: the guide, then what the declarations say. See contract.h.
#include <algorithm>

#include "protocol/contract.h"
#include "protocol/errors.h"
#include "protocol/guide.md.h"
#include "protocol/methods.h"
#include "wire/text.h"

namespace agentd::protocol {
namespace {

constexpr std::size_t kOneLine = 100;

/// A type written after the messages, so that each is there once however often it is used.
struct TypeSection {
  std::string name;
  std::string text;
};

std::string anchor(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-') {
      out += c;
    }
  }
  return out;
}

std::string link(std::string_view name) {
  return "[" + std::string(name) + "](#" + anchor(name) + ")";
}

std::string range(const wire::Limits& limits) {
  std::string out;
  if (limits.minimum) out += " ≥ " + std::to_string(*limits.minimum);
  if (limits.maximum) out += (out.empty() ? " ≤ " : ", ≤ ") + std::to_string(*limits.maximum);
  return out + (limits.nullable ? " or null" : "");
}

class TypeWriter {
 public:
  /// How a T is named in a table; named types are written into a section of their own.
  template <class T>
  std::string name_of(const wire::Limits& limits) {
    if constexpr (wire::is_optional<T>) {
      return name_of<typename T::value_type>(limits);
    } else if constexpr (wire::Described<T>) {
      section<T>();
      return link(T::kName);
    } else if constexpr (wire::NamedEnum<T>) {
      enum_section<T>();
      return link(wire_names(T{}).title);
    } else if constexpr (wire::is_vector<T>) {
      return "array of " + name_of<typename T::value_type>(limits);
    } else if constexpr (wire::is_union<T>) {
      return union_name(std::type_identity<T>{});
    } else if constexpr (wire::is_string_or_array<T>) {
      return "string, or " + name_of<std::variant_alternative_t<1, T>>(limits);
    } else {
      return plain_name<T>(limits);
    }
  }

  template <class T>
  std::string table() {
    Rows rows{*this, {}};
    if constexpr (wire::Tagged<T>) {
      rows.text += "| `type` | `\"" + std::string(T::kType) + "\"` | yes | Says which it is. |\n";
    }
    T::fields(rows);
    if (rows.text.empty()) return "No members.\n\n";
    return "| member | type | required | |\n|---|---|---|---|\n" + rows.text + "\n";
  }

  std::string sections() const {
    std::vector<TypeSection> sorted = sections_;
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& left, const auto& right) { return left.name < right.name; });
    std::string out;
    for (const TypeSection& each : sorted) out += "### " + each.name + "\n\n" + each.text;
    return out;
  }

 private:
  struct Rows {
    TypeWriter& types;
    std::string text;

    template <class Owner, class Member>
    void operator()(std::string_view key, Member Owner::*, std::string_view doc,
                    const wire::Limits& limits = {}) {
      text += "| `" + std::string(key) + "` | " + types.name_of<Member>(limits) + " | " +
              (wire::is_optional<Member> ? "" : "yes") + " | " + std::string(doc) + " |\n";
    }
  };

  template <class T>
  static std::string plain_name(const wire::Limits& limits) {
    if constexpr (std::same_as<T, std::string>) return "string";
    if constexpr (std::same_as<T, bool>) return "boolean";
    if constexpr (wire::is_integer<T>) return "integer" + range(limits);
    if constexpr (std::same_as<T, double>) return "number" + range(limits);
    if constexpr (std::same_as<T, Json>) return limits.object ? "object" : "any";
    return {};
  }

  template <class... Ts>
  std::string union_name(std::type_identity<std::variant<Ts...>>) {
    std::string out;
    ((out += (out.empty() ? "" : " or ") + name_of<Ts>({})), ...);
    return out;
  }

  /// Where the section of `name` is to be written; nullptr if it is there.
  bool reserve(std::string_view name) {
    for (const TypeSection& each : sections_) {
      if (each.name == name) return false;
    }
    sections_.push_back({std::string(name), {}});
    return true;
  }
  void write(std::string_view name, std::string text) {
    for (TypeSection& each : sections_) {
      if (each.name != name) continue;
      each.text = std::move(text);
      return;
    }
  }

  template <class T>
  void section() {
    if (!reserve(T::kName)) return;
    std::string doc;
    if constexpr (requires { T::kDoc; }) doc = std::string(T::kDoc) + "\n\n";
    write(T::kName, doc + table<T>());
  }

  template <class Enum>
  void enum_section() {
    constexpr auto names = wire_names(Enum{});
    if (!reserve(names.title)) return;
    std::string text;
    for (const auto& name : names.list) {
      text += "- `\"" + std::string(name.text) + "\"`";
      if (!name.doc.empty()) text += ": " + std::string(name.doc);
      text += '\n';
    }
    write(names.title, text + '\n');
  }

  std::vector<TypeSection> sections_;
};

std::string shown(const std::string& json) {
  return json.size() <= kOneLine ? json : wire::indented(json);
}

struct MessageWriter {
  const std::vector<Transcript>& transcripts;
  TypeWriter& types;
  std::string& out;

  template <class Params, class Result>
  void operator()(const Request<Params, Result>& method) {
    heading(method.name, method.doc, "Request to the server.");
    out += "Params:\n\n" + types.table<Params>();
    if constexpr (std::same_as<Result, std::nullptr_t>) {
      out += "Result: `null`.\n\n";
    } else if constexpr (std::same_as<Result, Empty>) {
      out += "Result: `{}`.\n\n";
    } else {
      out += "Result:\n\n" + types.table<Result>();
    }
    example(method.name);
  }

  template <class Params>
  void operator()(const Notification<Params>& method) {
    heading(method.name, method.doc,
            method.direction == Direction::to_server ? "Notification to the server."
                                                     : "Notification to the client.");
    out += members_of(std::type_identity<Params>{});
    example(method.name);
  }

  void heading(std::string_view name, std::string_view doc, std::string_view kind) {
    out +=
        "### " + std::string(name) + "\n\n*" + std::string(kind) + "* " + std::string(doc) + "\n\n";
  }

  template <class Params>
  std::string members_of(std::type_identity<Params>) {
    return types.table<Params>();
  }
  /// The head is the same for all of a run and told once.
  template <class Event>
  std::string members_of(std::type_identity<OfRun<Event>>) {
    return "After the members of " + types.name_of<RunHead>({}) + ":\n\n" + types.table<Event>();
  }

  void example(std::string_view name) {
    const std::optional<Example> found = find_example(transcripts, name);
    if (!found) return;
    out += "From `tests/transcripts/" + found->transcript + "`:\n\n```json\n" +
           shown(found->message) + "\n";
    if (!found->result.empty()) out += shown(found->result) + "\n";
    out += "```\n\n";
  }
};

struct ContentsWriter {
  std::string& out;
  template <class Method>
  void operator()(const Method& method) {
    out += "- [" + std::string(method.name) + "](#" + anchor(method.name) + ")\n";
  }
};

std::string error_table() {
  std::string out = "| number | `data.code` | when |\n|---|---|---|\n";
  for (const ErrorDoc& error : kErrors) {
    out += "| " + std::to_string(error.number) + " | ";
    if (!error.code.empty()) out += "`" + std::string(error.code) + "`";
    out += " | " + std::string(error.when) + " |\n";
  }
  return out;
}

}  // namespace

std::string readme(const std::vector<Transcript>& transcripts) {
  std::string out(embedded::guide);
  out += "\n" + error_table() + "\n## Messages\n\n";
  each_method(ContentsWriter{out});
  out += '\n';
  TypeWriter types;
  each_method(MessageWriter{transcripts, types, out});
  out += "## Types\n\n" + types.sections();
  out.pop_back();  // one line end at the end of the file
  return out;
}

}  // namespace agentd::protocol
