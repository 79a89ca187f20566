#include "tools/change.h"

#include "base/unified_diff.h"
#include "tools/file_lookup.h"
#include "tools/output_text.h"
#include "tools/paths.h"
#include "tools/text_file.h"

namespace agentd::tools {
namespace {

Diff diff_of(const Target& target, std::string_view content, const CallContext& context) {
  return unified_diff(shown_path(target.path, context.workspace),
                      target.content ? std::string_view(*target.content) : std::string_view(),
                      content, !target.content);
}

bool shown_as_text(const Target& target) {
  return !target.content || content_kind(*target.content) == ContentKind::text;
}

}  // namespace

Result<Target> load_target(const std::string& named, const CallContext& context) {
  Target target{judged_write(context, named), std::nullopt};
  const Result<platform::FileInfo> info = context.files.info(target.path, platform::Links::refuse);
  if (!info) {
    if (info.error().code == Code::not_found) return target;
    return info.error();
  }
  if (info->kind != platform::FileKind::regular) {
    return make_error(Code::invalid_input, not_regular_text(named, info->kind));
  }
  if (info->size > kLargestEditable) {
    return make_error(Code::too_large, named + " has " + byte_count(info->size) + "; files above " +
                                           byte_count(kLargestEditable) +
                                           " are changed with Bash (sed, for example)");
  }
  Result<std::string> content =
      context.files.read(target.path, kLargestEditable, platform::Links::refuse);
  if (!content) return content.error();
  target.content = std::move(*content);
  return target;
}

Result<void> check_known(const Target& target, View needed, const CallContext& context) {
  if (!target.content) return {};
  switch (seen_state(context.read_set, target.path, *target.content)) {
    case platform::ReadSet::State::never_read:
      if (!shown_as_text(target)) {
        return make_error(Code::conflict, target.path + " is " + describe_binary(*target.content) +
                                              ", which is not text. If it is really to be "
                                              "replaced, remove it with Bash first");
      }
      return make_error(Code::conflict, target.path +
                                            " has not been read in this session. Read it first, "
                                            "then change it");
    case platform::ReadSet::State::changed:
      return make_error(Code::conflict, target.path +
                                            " has changed on disk since it was read (the user or "
                                            "a program wrote it). Read it again, then change it");
    case platform::ReadSet::State::unchanged:
      break;
  }
  if (needed == View::whole && !seen_whole(context.read_set, target.path, *target.content)) {
    return make_error(Code::conflict, "Only a part of " + target.path +
                                          " was shown, and Write would replace all of it. Change "
                                          "it with Edit, or read all of it in one Read first");
  }
  return {};
}

Outcome put_in_place(const Target& target, std::string_view content, View view, std::string done,
                     const CallContext& context) {
  if (context.stop.stop_requested()) {
    return error_outcome("Interrupted by user before anything was written.");
  }
  const Result<void> written = context.files.replace(target.path, content, platform::Links::refuse);
  if (!written) return error_outcome(written.error().message);
  remember_view(context.read_set, target.path, content, view);
  const Diff diff = diff_of(target, content, context);
  Json details = {{"path", target.path},
                  {"created", !target.content.has_value()},
                  {"added", diff.added},
                  {"removed", diff.removed}};
  if (shown_as_text(target)) details["diff"] = diff.text;
  return text_outcome(std::move(done), std::move(details));
}

std::string preview_text(const Target& target, std::string_view content,
                         const CallContext& context) {
  if (!shown_as_text(target)) {
    return "(" + target.path + " is " + describe_binary(*target.content) + "; no diff)";
  }
  return diff_of(target, content, context).text;
}

}  // namespace agentd::tools
