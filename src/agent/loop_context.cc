// What the loop adds to the conversation of its own accord: once the surroundings and the memory
// files, later what has changed on disk since it was read, and memory files that stand beside files
// just read. The disk is read on a thread of its own, so that a dead one holds up nothing for ever;
// what it found comes by mailbox. Run's thread.
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "agent/loop.h"
#include "base/log.h"
#include "context/surroundings.h"

namespace agentd::agent {
namespace {

// A turn that follows sooner finds the files as they were.
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::size_t kMostNotes = 5;               // what was not read, one notice each
constexpr std::int64_t kAttachmentTokens = 40'000;  // of one turn

// Nothing for what is not told of as an attachment.
std::optional<AttachmentKind> told_kind(context::AttachmentKind kind) {
  switch (kind) {
    case context::AttachmentKind::memory:
      return AttachmentKind::memory;
    case context::AttachmentKind::changed_file:
      return AttachmentKind::changed_file;
    case context::AttachmentKind::recent_file:
      return AttachmentKind::recent_file;
    case context::AttachmentKind::todo:
      return AttachmentKind::todo;
    case context::AttachmentKind::summary:
    case context::AttachmentKind::background_work:
    case context::AttachmentKind::hook_context:
    case context::AttachmentKind::note:
    case context::AttachmentKind::queued_message:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The directories of what was read: where nested memory files may stand.
std::set<std::string> directories_of(const platform::ReadSet& read_set) {
  std::set<std::string> directories;
  for (const auto& entry : read_set.entries()) {
    directories.insert(std::filesystem::path(entry.path).parent_path().string());
  }
  return directories;
}

void add(std::vector<context::MemoryFile>& files, std::vector<context::MemoryFile> more) {
  std::move(more.begin(), more.end(), std::back_inserter(files));
}

context::Memory nested_memory(const std::set<std::string>& directories,
                              const context::MemoryPlaces& places, platform::Files& files,
                              context::ToldMemory& told) {
  context::Memory memory;
  for (const auto& directory : directories) {
    auto nested = context::nested_memory(directory, places, files, told);
    add(memory.files, std::move(nested.files));
    std::move(nested.notes.begin(), nested.notes.end(), std::back_inserter(memory.notes));
  }
  return memory;
}

}  // namespace

// Returns when it has been found, or the run is cancelled: then wind_up sees to the thread.
void Loop::look(std::function<LookedAround()> find) {
  look_.found.reset();
  look_.thread = std::thread([box = mailbox_, find = std::move(find)] {
    LookedAround found;
    try {
      found = find();
    } catch (const std::exception& failure) {
      log::error(std::string("looking around failed: ") + failure.what());
    }
    box->push(std::move(found));
  });
  wait_until([this] { return look_.found.has_value(); });
  if (look_.found) look_.thread.join();
}

context::MemoryPlaces Loop::memory_places() const {
  auto places = options_.memory_places;
  places.cwd = conversation_.cwd;
  places.root = conversation_.git_root;
  return places;
}

// In front of a session's first prompt.
std::vector<Block> Loop::first_context() {
  look([places = memory_places(), cwd = conversation_.cwd, now = services_.clock.wall(),
        &files = services_.files, told = conversation_.told_memory]() mutable {
    LookedAround found;
    const auto surroundings = context::look_around(cwd, now, files);
    found.surroundings = context::describe(surroundings);
    found.git_root = surroundings.git_root;
    places.root = surroundings.git_root;
    found.memory = context::find_memory_files(places, files, told);
    found.told_memory = std::move(told);
    return found;
  });
  std::vector<Block> blocks;
  if (!look_.found) return blocks;
  if (!look_.found->surroundings.empty()) blocks.emplace_back(TextBlock{look_.found->surroundings});
  conversation_.environment = look_.found->surroundings;
  conversation_.git_root = look_.found->git_root;
  add_found(blocks);
  return blocks;
}

// At a turn's start: what changed under the session's feet. With a new prompt memory files too:
// what of them was shown as it stands is not shown again.
std::vector<Block> Loop::later_context(bool new_prompt) {
  const auto now = services_.clock.now();
  if (look_.last && now - *look_.last < kBetweenLooks) return {};
  look_.last = now;
  const bool all_told =
      conversation_.untold_changes.empty() && conversation_.untold_attachments.empty();
  if (all_told && !new_prompt && conversation_.read_set->entries().empty()) return {};
  look([places = memory_places(), read_set = conversation_.read_set, wall = services_.clock.wall(),
        &files = services_.files, told = conversation_.told_memory, new_prompt]() mutable {
    LookedAround found;
    found.changed = context::changed_files(*read_set, files, wall);
    const auto directories = directories_of(*read_set);
    found.memory = nested_memory(directories, places, files, told);
    if (new_prompt) {
      context::ToldMemory anew;
      add(found.memory.files, context::find_memory_files(places, files, anew).files);
      add(found.memory.files, nested_memory(directories, places, files, anew).files);
    }
    found.told_memory = std::move(told);
    return found;
  });
  std::vector<Block> blocks;
  if (look_.found) add_found(blocks);
  return blocks;
}

// After a compaction has taken them out of the view; nested ones when a file beside them is read.
std::vector<context::Attachment> Loop::memory_again() {
  look([places = memory_places(), &files = services_.files] {
    LookedAround found;
    found.memory = context::find_memory_files(places, files, found.told_memory);
    return found;
  });
  std::vector<context::Attachment> attachments;
  if (!look_.found) return attachments;
  conversation_.told_memory = std::move(look_.found->told_memory);
  for (const auto& file : look_.found->memory.files) {
    attachments.push_back(context::memory_attachment(file));
  }
  return attachments;
}

// With the next turn.
void Loop::announce(std::vector<context::Attachment> shown) {
  for (auto& each : shown) {
    const auto kind = told_kind(each.kind);
    if (!kind) continue;
    std::string title = *kind == AttachmentKind::todo ? "Open todos" : std::move(each.title);
    look_.attached.push_back({*kind, std::move(title), {}});
  }
}

void Loop::tell_attached() {
  for (Attachment& attachment : std::exchange(look_.attached, {})) emit(std::move(attachment));
}

void Loop::add_found(std::vector<Block>& blocks) {
  auto attachments = std::exchange(conversation_.untold_attachments, {});
  for (const auto& file : look_.found->memory.files) {
    attachments.push_back(context::memory_attachment(file));
  }
  auto changed = std::exchange(conversation_.untold_changes, {});
  std::move(look_.found->changed.begin(), look_.found->changed.end(), std::back_inserter(changed));
  for (const auto& file : changed) {
    attachments.push_back(context::changed_file_attachment(file));
  }
  conversation_.told_memory = std::move(look_.found->told_memory);
  auto& notes = look_.found->memory.notes;
  if (notes.size() > kMostNotes) {
    const std::string more = std::to_string(notes.size() - kMostNotes);
    notes.resize(kMostNotes);
    notes.push_back("and " + more + " more of this kind");
  }
  for (auto& note : notes) emit(Notice{NoticeLevel::warning, "memory_file", std::move(note)});
  auto rendered =
      context::render(std::move(attachments), kAttachmentTokens, conversation_.shown_attachments);
  announce(std::move(rendered.shown));
  conversation_.untold_attachments = std::move(rendered.left_out);
  std::move(rendered.blocks.begin(), rendered.blocks.end(), std::back_inserter(blocks));
}

}  // namespace agentd::agent
