#include "tools/write.h"

#include "tools/change.h"
#include "tools/numbered_lines.h"
#include "tools/paths.h"
#include "tools/text_file.h"
#include "tools/typed_tool.h"
#include "tools/write.md.h"

namespace agentd::tools {
namespace {

struct WriteInput {
  std::string file_path;
  std::string content;

  static void fields(auto& field) {
    field("file_path", &WriteInput::file_path,
          "The file to write: an absolute path, or one relative to the current directory.",
          wire::kNoNul);
    field("content", &WriteInput::content, "The complete new content of the file.");
  }
};

struct NewContent {
  std::string bytes;
  std::string note;
};

// The model does not see byte order marks and carriage returns, so it cannot mean to drop them.
NewContent with_habits(const Target& target, const std::string& content) {
  NewContent made{content, {}};
  if (!target.content) return made;
  if (line_ends(*target.content) == LineEnds::crlf && line_ends(content) == LineEnds::lf) {
    made.bytes = to_crlf(made.bytes);
    made.note += " Its CRLF line ends were kept.";
  }
  if (has_bom(*target.content) && !has_bom(made.bytes)) {
    made.bytes.insert(0, kUtf8Bom);
    made.note += " Its byte order mark was kept.";
  }
  return made;
}

class WriteTool final : public TypedTool<WriteInput> {
 public:
  WriteTool() : TypedTool("Write", embedded::write) {}

  bool safe(const Json&) const override { return false; }

 protected:
  std::optional<Error> check(const WriteInput& input) const override {
    if (input.file_path.empty()) return invalid("file_path", "must not be empty");
    if (input.file_path.back() == '/') {
      return invalid("file_path", "names a directory; give the name of a file");
    }
    return std::nullopt;
  }

  Access access_of(const WriteInput& input, const std::string& cwd) const override {
    return {.reads = {}, .writes = {absolute_path(input.file_path, cwd)}, .command = {}};
  }

  std::optional<std::string> preview_of(const WriteInput& input,
                                        const CallContext& context) const override {
    const auto target = load_target(absolute_path(input.file_path, context.cwd), context);
    if (!target) return std::nullopt;
    return preview_text(*target, with_habits(*target, input.content).bytes, context);
  }

  Outcome run_with(const WriteInput& input, const CallContext& context) const override {
    const auto target = load_target(absolute_path(input.file_path, context.cwd), context);
    if (!target) return error_outcome(target.error().message);
    if (const auto known = check_known(*target, View::whole, context); !known) {
      return error_outcome(known.error().message + ".");
    }
    const NewContent content = with_habits(*target, input.content);
    if (target->content == content.bytes) {
      return text_outcome(target->path + " holds exactly this already; nothing was written.");
    }
    const std::size_t lines = count_lines(content.bytes);
    std::string done = (target->content ? "Overwrote " : "Created ") + target->path + " (" +
                       std::to_string(lines) + (lines == 1 ? " line)." : " lines).") + content.note;
    return put_in_place(*target, content.bytes, View::whole, std::move(done), context);
  }
};

}  // namespace

std::unique_ptr<Tool> make_write() {
  return std::make_unique<WriteTool>();
}

}  // namespace agentd::tools
