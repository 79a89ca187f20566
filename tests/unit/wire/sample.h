// The structs that the tests of wire/ describe, encode and decode.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wire/description.h"

namespace sample {

using agentd::wire::Json;

enum class Mode { ask, accept_edits, plan };

constexpr auto wire_names(Mode) {
  return agentd::wire::names<Mode>(
      "Mode",
      {{Mode::ask, "ask", "Asks."}, {Mode::accept_edits, "acceptEdits"}, {Mode::plan, "plan"}});
}

enum class Stream { out, err };

constexpr auto wire_names(Stream) {
  return agentd::wire::names<Stream>("", {{Stream::out, "stdout"}, {Stream::err, "stderr"}});
}

struct Text {
  static constexpr std::string_view kName = "Text";
  static constexpr std::string_view kType = "text";
  std::string text;
  static void fields(auto& field) { field("text", &Text::text, "What is said."); }
};

struct Image {
  static constexpr std::string_view kName = "Image";
  static constexpr std::string_view kType = "image";
  std::string data;
  static void fields(auto& field) { field("data", &Image::data, "Base64."); }
};

struct Attachment {
  std::string path;
  std::optional<std::int64_t> line;
  static void fields(auto& field) {
    field("path", &Attachment::path, "Where.", agentd::wire::kNoNul);
    field("line", &Attachment::line, "From here.", {.minimum = 1});
  }
};

struct Everything {
  static constexpr std::string_view kName = "Everything";
  static constexpr std::string_view kDoc = "One member of each kind.";
  std::variant<std::string, std::vector<std::variant<Text, Image>>> prompt;
  std::optional<std::vector<Attachment>> attachments;
  std::optional<Mode> mode;
  Stream stream = Stream::out;
  std::int64_t count = 0;
  int small = 0;
  double ratio = 0;
  bool urgent = false;
  std::optional<std::int64_t> percent;
  std::optional<std::vector<std::string>> paths;
  std::optional<Json> extra;
  std::optional<Json> settings;

  static void fields(auto& field) {
    field("prompt", &Everything::prompt, "Text or blocks.");
    field("attachments", &Everything::attachments, "Files.");
    field("mode", &Everything::mode, "How careful.");
    field("stream", &Everything::stream, "Which stream.");
    field("count", &Everything::count, "How many.");
    field("small", &Everything::small, "An int.");
    field("ratio", &Everything::ratio, "A number.", {.maximum = 10});
    field("urgent", &Everything::urgent, "Yes or no.");
    field("percent", &Everything::percent, "Part.",
          {.minimum = 0, .maximum = 100, .nullable = true});
    field("paths", &Everything::paths, "Where to look.", agentd::wire::kNoNul);
    field("extra", &Everything::extra, "Anything.");
    field("settings", &Everything::settings, "An object.", {.object = true});
  }
};

/// What a tool is given.
struct ToolInput {
  std::string pattern;
  std::optional<std::int64_t> limit;
  std::optional<bool> multiline;
  std::optional<double> threshold;
  std::optional<std::vector<std::string>> paths;
  std::optional<Attachment> at;
  std::optional<Stream> stream;

  static void fields(auto& field) {
    field("pattern", &ToolInput::pattern, "What to look for.");
    field("limit", &ToolInput::limit, "At most this many.", {.minimum = 1, .maximum = 1000});
    field("multiline", &ToolInput::multiline, "Over line ends.");
    field("threshold", &ToolInput::threshold, "From here on.");
    field("paths", &ToolInput::paths, "Where to look.");
    field("at", &ToolInput::at, "A place.");
    field("stream", &ToolInput::stream, "Which stream.");
  }
};

}  // namespace sample
