// schema.json and methods.json. See contract.h.
#include "protocol/contract.h"

#include <nlohmann/json.hpp>

#include "protocol/methods.h"
#include "wire/parse.h"
#include "wire/schema.h"

namespace agentd::protocol {
namespace {

constexpr std::string_view kTitle = "agentd native protocol";
constexpr std::string_view kDescription =
    "Params and results of every method in methods.json. A member that is absent or null was not "
    "given; unknown members are ignored; members and types are only ever added.";

/// The schema of one type, into `definitions` where it has a name.
template <class T>
void append_reference(std::string& out, wire::Definitions& definitions) {
  wire::append_schema<T>(out, {}, {}, &definitions);
}

struct SchemaCollector {
  wire::Definitions& definitions;

  template <class Params, class Result>
  void operator()(const Request<Params, Result>&) const {
    std::string unused;
    append_reference<Params>(unused, definitions);
    append_reference<Result>(unused, definitions);
  }
  template <class Params>
  void operator()(const Notification<Params>&) const {
    std::string unused;
    append_reference<Params>(unused, definitions);
  }
};

struct MethodWriter {
  std::string& out;

  template <class Params, class Result>
  void operator()(const Request<Params, Result>& method) const {
    begin(method.name, "request", method.direction, method.since);
    append_type<Params>("params");
    append_type<Result>("result");
    end(method.doc);
  }
  template <class Params>
  void operator()(const Notification<Params>& method) const {
    begin(method.name, "notification", method.direction, method.since);
    append_type<Params>("params");
    end(method.doc);
  }

  void begin(std::string_view name, std::string_view kind, Direction direction, int since) const {
    wire::append_comma(out);
    out += '{';
    wire::append_key(out, "name");
    wire::append_string(out, name);
    wire::append_key(out, "kind");
    wire::append_string(out, kind);
    wire::append_key(out, "direction");
    wire::append_string(out, direction == Direction::to_server ? "toServer" : "toClient");
    wire::append_key(out, "since");
    wire::append_int(out, since);
  }
  template <class T>
  void append_type(std::string_view key) const {
    wire::append_key(out, key);
    if constexpr (wire::Named<T>) {
      out += R"({"$ref":"schema.json#/$defs/)" + std::string(T::kName) + R"("})";
    } else {
      static_assert(std::same_as<T, std::nullptr_t>);
      out += R"({"type":"null"})";
    }
  }
  void end(std::string_view doc) const {
    wire::append_key(out, "description");
    wire::append_string(out, doc);
    out += '}';
  }
};

bool has_method(const Json& message, std::string_view method) {
  return wire::string_member(message, "method") == method;
}

/// The lines of a transcript that hold a message, in order.
struct Line {
  bool sent;
  std::string text;
  Json message;
};

std::vector<Line> messages_of(std::string_view transcript) {
  std::vector<Line> lines;
  while (!transcript.empty()) {
    const std::size_t end = transcript.find('\n');
    const std::string_view line = transcript.substr(0, end);
    transcript.remove_prefix(end == std::string_view::npos ? transcript.size() : end + 1);
    if (!line.starts_with("> {") && !line.starts_with("< {")) continue;
    Result<Json> message = wire::parse(line.substr(2));
    if (!message) continue;
    lines.push_back({line[0] == '>', std::string(line.substr(2)), std::move(*message)});
  }
  return lines;
}

std::string reply_to(const std::vector<Line>& lines, std::size_t request) {
  const Json* id = wire::member(lines[request].message, "id");
  if (id == nullptr) return {};
  for (std::size_t i = request + 1; i < lines.size(); ++i) {
    const Json* answered = wire::member(lines[i].message, "id");
    if (lines[i].sent || answered == nullptr || *answered != *id) continue;
    return lines[i].message.contains("result") ? lines[i].text : std::string();
  }
  return {};
}

}  // namespace

std::optional<Example> find_example(const std::vector<Transcript>& transcripts,
                                    std::string_view method) {
  std::optional<Example> first;
  for (const Transcript& transcript : transcripts) {
    const std::vector<Line> lines = messages_of(transcript.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!has_method(lines[i].message, method)) continue;
      Example example{transcript.name, lines[i].text, reply_to(lines, i)};
      const bool answered = !example.result.empty() || !lines[i].message.contains("id");
      if (answered) return example;  // a request that fails is no good example
      if (!first) first = std::move(example);
    }
  }
  return first;
}

std::string schema_json() {
  wire::Definitions definitions;
  each_method(SchemaCollector{definitions});
  std::string out = R"({"$schema":"https://json-schema.org/draft/2020-12/schema")";
  wire::append_key(out, "title");
  wire::append_string(out, kTitle);
  wire::append_key(out, "description");
  wire::append_string(out, kDescription);
  wire::append_key(out, "$defs");
  out += '{';
  for (const wire::Definition& definition : definitions.all()) {
    wire::append_key(out, definition.name);
    out += definition.schema;
  }
  out += "}}";
  return wire::indented(out) + '\n';
}

std::string methods_json() {
  std::string out = R"({"protocolVersion":)" + std::to_string(kProtocolVersion);
  wire::append_key(out, "methods");
  out += '[';
  each_method(MethodWriter{out});
  out += "]}";
  return wire::indented(out) + '\n';
}

}  // namespace agentd::protocol
