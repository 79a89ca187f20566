// Files up to kLargestEditable are read whole, so that their content can be remembered and their
// lines counted; of larger ones only the range asked for is held in memory.
#include "tools/read.h"

#include <algorithm>

#include "tools/file_lookup.h"
#include "tools/image.h"
#include "tools/numbered_lines.h"
#include "tools/output_text.h"
#include "tools/paths.h"
#include "tools/read.md.h"
#include "tools/seen.h"
#include "tools/text_file.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

struct ReadInput {
  std::string file_path;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> limit;

  static void fields(auto& field) {
    field("file_path", &ReadInput::file_path,
          "The file to read: an absolute path, or one relative to the current directory.",
          wire::kNoNul);
    field("offset", &ReadInput::offset, "The line to begin at, counted from 1. Default: 1.",
          {.minimum = 0});
    field("limit", &ReadInput::limit, "How many lines to show. Default: 2000.", {.minimum = 1});
  }

  std::size_t first_line() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(1, offset.value_or(1)));
  }
  std::size_t lines() const {
    return static_cast<std::size_t>(limit.value_or(static_cast<std::int64_t>(kReadLines)));
  }
};

struct Found {
  std::string path;  // as judged, or of a look-alike beside it
  platform::FileInfo info;
  std::string note;  // if it is not the name that was asked for
};

Result<Found> find_file(const std::string& asked, const CallContext& context) {
  platform::Files& files = context.files;
  Found found;
  found.path = judged_read(context, asked);
  Result<platform::FileInfo> info = files.info(found.path, platform::Links::refuse);
  if (!info && info.error().code == Code::not_found) {
    if (const auto alike = look_alike(found.path, files)) {
      found.note = "(there is no " + asked + "; this is " + *alike +
                   ", whose name only looks the same: use that name)";
      found.path = *alike;
      info = files.info(found.path, platform::Links::refuse);
    } else {
      return make_error(Code::not_found, missing_file_text(found.path, context.cwd, files));
    }
  }
  if (!info) return info.error();
  if (info->kind != platform::FileKind::regular) {
    return make_error(Code::invalid_input, not_regular_text(asked, info->kind));
  }
  found.info = *info;
  return found;
}

std::string with_notes(std::string text, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (note.empty()) continue;
    if (!text.empty()) text += text.back() == '\n' ? "\n" : "\n\n";
    text += note;
  }
  return text;
}

// `total` is 0 where the lines were not counted.
std::string range_note(const LineWindow& window, std::size_t total, std::uint64_t size) {
  const bool from_start = window.first == 1;
  if (window.reached_end && from_start) return {};
  std::string note =
      "(lines " + std::to_string(window.first) + " to " + std::to_string(window.last) + " of " +
      (total > 0 ? std::to_string(total) : "a file of " + byte_count(size)) + " are shown";
  if (window.bytes_full) note += ", as much as one result may hold";
  if (!window.reached_end) {
    note += "; to go on, call Read with offset " + std::to_string(window.last + 1);
  }
  return note + ")";
}

std::vector<std::string> notes_for(const LineWindow& window, std::size_t total,
                                   std::uint64_t size) {
  std::vector<std::string> notes = {range_note(window, total, size)};
  if (window.lines_cut > 0) {
    notes.push_back("(" + std::to_string(window.lines_cut) + " of the lines are longer than " +
                    std::to_string(kReadLineCharacters) +
                    " characters and were cut; use Grep or Bash (cut -c) for their rest)");
  }
  if (window.replaced > 0) {
    notes.push_back("(" + std::to_string(window.replaced) +
                    " byte sequences that are not UTF-8 are shown as \xEF\xBF\xBD; Edit keeps "
                    "them, Write would not)");
  }
  return notes;
}

Json window_details(const std::string& path, const LineWindow& window, std::size_t total) {
  Json details = {{"path", path}, {"firstLine", window.first}, {"lastLine", window.last}};
  if (total > 0) details["totalLines"] = total;
  details["partial"] = window.first != 1 || !window.reached_end;
  return details;
}

Outcome past_the_end(std::size_t offset, std::size_t total, const std::string& note) {
  return text_outcome(
      with_notes("(the file has " + std::to_string(total) + (total == 1 ? " line" : " lines") +
                     ", so nothing stands at offset " + std::to_string(offset) + ")",
                 {note}));
}

Outcome show_whole(const Found& file, const std::string& content, const ReadInput& input,
                   const CallContext& context) {
  const std::string_view text = without_bom(content);
  const std::size_t total = count_lines(text);
  if (total == 0) {
    remember_view(context.read_set, file.path, content, View::whole);
    return text_outcome(with_notes("(the file exists but is empty)", {file.note}),
                        {{"path", file.path}, {"totalLines", 0}});
  }
  if (input.first_line() > total) return past_the_end(input.first_line(), total, file.note);

  const std::size_t begin = line_offset(text, input.first_line() - 1);
  const LineWindow window = number_lines(text.substr(begin), input.first_line(), input.lines());
  const bool whole =
      window.first == 1 && window.reached_end && window.lines_cut == 0 && window.replaced == 0;
  remember_view(context.read_set, file.path, content, whole ? View::whole : View::part);
  std::vector<std::string> notes = notes_for(window, total, content.size());
  notes.push_back(file.note);
  return text_outcome(with_notes(window.text, notes), window_details(file.path, window, total));
}

// Where line `index` (from 0) begins in a large file.
struct Position {
  std::uint64_t offset = 0;
  std::size_t lines_before_end = 0;  // if the file ends before that line
  bool found = false;
};

Result<Position> seek_line(const Found& file, std::size_t index, const CallContext& context) {
  constexpr std::uint64_t kChunk = 1u << 20;
  Position position;
  std::size_t line = 0;
  while (line < index) {
    if (context.stop.stop_requested()) return make_error(Code::cancelled, "Interrupted by user");
    const Result<std::string> chunk =
        context.files.read_range(file.path, position.offset, kChunk, platform::Links::refuse);
    if (!chunk) return chunk.error();
    if (chunk->empty()) {
      position.lines_before_end = line;
      return position;
    }
    const std::size_t in_chunk = line_offset(*chunk, index - line);
    if (in_chunk != std::string::npos) {
      position.offset += in_chunk;
      position.found = true;
      return position;
    }
    line += static_cast<std::size_t>(std::count(chunk->begin(), chunk->end(), '\n'));
    position.offset += chunk->size();
  }
  position.found = true;
  return position;
}

Outcome show_range(const Found& file, const ReadInput& input, const CallContext& context) {
  const Result<Position> position = seek_line(file, input.first_line() - 1, context);
  if (!position) return error_outcome(position.error().message);
  if (!position->found) {
    return past_the_end(input.first_line(), position->lines_before_end, file.note);
  }
  // Twice the bound: the numbers take room too, but no line begins after kReadBytes.
  const Result<std::string> range = context.files.read_range(
      file.path, position->offset, 2 * kReadBytes, platform::Links::refuse);
  if (!range) return error_outcome(range.error().message);
  LineWindow window = number_lines(*range, input.first_line(), input.lines());
  window.reached_end = window.reached_end && position->offset + range->size() >= file.info.size;
  std::vector<std::string> notes = notes_for(window, 0, file.info.size);
  notes.push_back("(the file has " + byte_count(file.info.size) +
                  ": too large for Edit and Write; change it with Bash)");
  notes.push_back(file.note);
  return text_outcome(with_notes(window.text, notes), window_details(file.path, window, 0));
}

Outcome show_image(const Found& file, ImageType type, std::string_view bytes) {
  Result<Image> image = make_image(type, bytes);
  if (!image) return error_outcome(file.path + " cannot be shown: " + image.error().message + ".");
  Json details = {{"path", file.path},
                  {"mediaType", image->block.media_type},
                  {"width", image->size.width},
                  {"height", image->size.height},
                  {"bytes", bytes.size()}};
  Outcome outcome;
  outcome.content.emplace_back(std::move(image->block));
  if (!file.note.empty()) outcome.content.emplace_back(TextBlock{file.note});
  outcome.details = std::move(details);
  return outcome;
}

std::string binary_text(const Found& file, std::string_view head) {
  return file.path + " is " + describe_binary(head) + " (" + byte_count(file.info.size) +
         "), which Read cannot show. Use Bash with a program for its kind (file, xxd, strings, "
         "iconv, unzip -l, pdftotext).";
}

class ReadTool final : public TypedTool<ReadInput> {
 public:
  ReadTool() : TypedTool("Read", embedded::read) {}

  bool safe(const Json&) const override { return true; }

 protected:
  std::optional<Error> check(const ReadInput& input) const override {
    if (input.file_path.empty()) return invalid("file_path", "must not be empty");
    return std::nullopt;
  }

  Access access_of(const ReadInput& input, const std::string& cwd) const override {
    return {.reads = {absolute_path(input.file_path, cwd)}, .writes = {}, .command = {}};
  }

  Outcome run_with(const ReadInput& input, const CallContext& context) const override {
    const Result<Found> file = find_file(absolute_path(input.file_path, context.cwd), context);
    if (!file) return error_outcome(file.error().message);
    const bool large = file->info.size > kLargestEditable;
    const auto refuse = platform::Links::refuse;
    const Result<std::string> content =
        large ? context.files.read_range(file->path, 0, 64 * 1024, refuse)
              : context.files.read(file->path, kLargestEditable, refuse);
    if (!content) return error_outcome(content.error().message);
    if (const auto type = image_type(*content)) {
      // A large file's head is not the image, but make_image refuses by size first: give it that.
      if (large) return error_outcome(too_large_image(*file));
      return show_image(*file, *type, *content);
    }
    if (content_kind(*content) != ContentKind::text) {
      return error_outcome(binary_text(*file, *content));
    }
    return large ? show_range(*file, input, context) : show_whole(*file, *content, input, context);
  }

 private:
  static std::string too_large_image(const Found& file) {
    return file.path + " is an image of " + byte_count(file.info.size) +
           ", the API takes at most " + byte_count(kMaxImageBytes) +
           "; make a smaller copy and read that.";
  }
};

}  // namespace

std::unique_ptr<Tool> make_read() {
  return std::make_unique<ReadTool>();
}

}  // namespace agentd::tools
