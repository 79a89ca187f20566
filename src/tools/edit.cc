#include "tools/edit.h"

#include <algorithm>

#include "tools/change.h"
#include "tools/edit.md.h"
#include "tools/edit_match.h"
#include "tools/file_lookup.h"
#include "tools/paths.h"
#include "tools/text_file.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

struct EditInput {
  std::string file_path;
  std::string old_string;
  std::string new_string;
  std::optional<bool> replace_all;

  static void fields(auto& field) {
    field("file_path", &EditInput::file_path,
          "The file to change: an absolute path, or one relative to the current directory.",
          wire::kNoNul);
    field("old_string", &EditInput::old_string,
          "The text to replace, exactly as it stands in the file; empty only to create a file.");
    field("new_string", &EditInput::new_string, "The text to put in its place.");
    field("replace_all", &EditInput::replace_all,
          "Replace every occurrence instead of exactly one. Default: false.");
  }
};

struct Edited {
  std::string content;
  std::vector<Region> regions;  // in the old content
};

std::string line_list(std::string_view content, const std::vector<Region>& regions) {
  constexpr std::size_t kShown = 10;
  std::string text = regions.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < std::min(regions.size(), kShown); ++i) {
    if (i > 0) text += i + 1 == regions.size() ? " and " : ", ";
    text += std::to_string(line_of(content, regions[i].begin));
  }
  if (regions.size() > kShown) {
    text += " and " + std::to_string(regions.size() - kShown) + " more";
  }
  return text;
}

// An empty old text stands nowhere and everywhere: it means a file that does not exist yet, or one
// with nothing in it.
Result<Edited> fill_empty(const EditInput& input, const Target& target) {
  if (target.content && !without_bom(*target.content).empty()) {
    return make_error(Code::invalid_input,
                      "old_string is empty, but " + target.path +
                          " exists and is not empty. Give the text to replace, or use Write to "
                          "replace the whole file");
  }
  return Edited{target.content.value_or("") + input.new_string, {}};
}

Result<Edited> edited(const EditInput& input, const Target& target) {
  if (input.old_string.empty()) return fill_empty(input, target);
  const std::string& content = *target.content;
  if (content_kind(content) == ContentKind::utf16) {
    return make_error(Code::invalid_input,
                      target.path +
                          " is a UTF-16 file, which Edit does not change. Use Bash "
                          "(iconv) to convert it");
  }
  std::vector<Region> regions = find_matches(content, input.old_string);
  if (regions.empty()) {
    return make_error(Code::invalid_input,
                      "old_string was not found in " + target.path + ". " +
                          why_not_found(without_bom(content), input.old_string));
  }
  if (regions.size() > 1 && !input.replace_all.value_or(false)) {
    return make_error(Code::invalid_input,
                      "old_string was found " + std::to_string(regions.size()) + " times in " +
                          target.path + ", on " + line_list(content, regions) +
                          ". Take in more of the text around the one you mean, or set "
                          "replace_all to true to change them all.");
  }
  Edited made{replace_regions(content, regions, input.old_string, input.new_string), {}};
  made.regions = std::move(regions);
  if (made.content == content) {
    return make_error(Code::invalid_input,
                      "The edit would change nothing in " + target.path +
                          ": old_string and new_string differ only in line ends, and the file "
                          "keeps its own.");
  }
  return made;
}

std::string done_text(const Target& target, const Edited& result) {
  if (!target.content) return "Created " + target.path + ".";
  if (result.regions.empty()) return "Filled the empty file " + target.path + ".";
  return "Edited " + target.path + ": " + std::to_string(result.regions.size()) +
         (result.regions.size() == 1 ? " replacement on " : " replacements on ") +
         line_list(*target.content, result.regions) + ".";
}

class EditTool final : public TypedTool<EditInput> {
 public:
  EditTool() : TypedTool("Edit", embedded::edit) {}

  bool safe(const Json&) const override { return false; }

 protected:
  std::optional<Error> check(const EditInput& input) const override {
    if (input.file_path.empty()) return invalid("file_path", "must not be empty");
    if (input.old_string == input.new_string) {
      return invalid("new_string", "is the same as old_string, so there is nothing to change");
    }
    return std::nullopt;
  }

  Access access_of(const EditInput& input, const std::string& cwd) const override {
    return {.reads = {}, .writes = {absolute_path(input.file_path, cwd)}, .command = {}};
  }

  std::optional<std::string> preview_of(const EditInput& input,
                                        const CallContext& context) const override {
    const auto target = load_target(absolute_path(input.file_path, context.cwd), context);
    if (!target || (!target->content && !input.old_string.empty())) return std::nullopt;
    const Result<Edited> result = edited(input, *target);
    if (!result) return std::nullopt;
    return preview_text(*target, result->content, context);
  }

  Outcome run_with(const EditInput& input, const CallContext& context) const override {
    const std::string path = absolute_path(input.file_path, context.cwd);
    const auto target = load_target(path, context);
    if (!target) return error_outcome(target.error().message);
    if (!target->content && !input.old_string.empty()) {
      return error_outcome(missing_file_text(path, context.cwd, context.files));
    }
    if (const auto known = check_known(*target, View::part, context); !known) {
      return error_outcome(known.error().message + ".");
    }
    const Result<Edited> result = edited(input, *target);
    if (!result) return error_outcome(result.error().message);
    const bool whole =
        !target->content || seen_whole(context.read_set, target->path, *target->content);
    return put_in_place(*target, result->content, whole ? View::whole : View::part,
                        done_text(*target, *result), context);
  }
};

}  // namespace

std::unique_ptr<Tool> make_edit() {
  return std::make_unique<EditTool>();
}

}  // namespace agentd::tools
