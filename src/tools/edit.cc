#include "tools/edit.h"

#include "tools/change.h"
#include "tools/edit.md.h"
#include "tools/edit_match.h"
#include "tools/file_lookup.h"
#include "tools/output_text.h"
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
  MatchSummary matches;  // in the old content
};

std::string line_list(const MatchSummary& matches) {
  const std::size_t shown = matches.lines.size();
  std::string text = shown == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == matches.distinct_lines ? " and " : ", ";
    text += std::to_string(matches.lines[i]);
  }
  if (matches.distinct_lines > shown) {
    text += " and " + std::to_string(matches.distinct_lines - shown) + " more";
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
  MatchSummary matches = summary(content, input.old_string);
  if (matches.count == 0) {
    return make_error(Code::invalid_input,
                      "old_string was not found in " + target.path + ". " +
                          why_not_found(without_bom(content), input.old_string));
  }
  if (matches.count > 1 && !input.replace_all.value_or(false)) {
    return make_error(Code::invalid_input,
                      "old_string was found " + std::to_string(matches.count) + " times in " +
                          target.path + ", on " + line_list(matches) +
                          ". Take in more of the text around the one you mean, or set "
                          "replace_all to true to change them all.");
  }
  auto replaced = replace_matches(content, input.old_string, input.new_string, kLargestEditable);
  if (!replaced) {
    return make_error(Code::too_large, "The edit would make " + target.path + " larger than " +
                                           byte_count(kLargestEditable) + ": " +
                                           std::to_string(matches.count) +
                                           " replacements. Nothing was changed.");
  }
  if (*replaced == content) {
    return make_error(Code::invalid_input,
                      "The edit would change nothing in " + target.path +
                          ": old_string and new_string differ only in line ends, and the file "
                          "keeps its own.");
  }
  return Edited{std::move(*replaced), std::move(matches)};
}

std::string done_text(const Target& target, const Edited& result) {
  if (!target.content) return "Created " + target.path + ".";
  if (result.matches.count == 0) return "Filled the empty file " + target.path + ".";
  return "Edited " + target.path + ": " + std::to_string(result.matches.count) +
         (result.matches.count == 1 ? " replacement on " : " replacements on ") +
         line_list(result.matches) + ".";
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
      return error_outcome(missing_file_text(target->path, context.cwd, context.files));
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
