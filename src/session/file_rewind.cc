#include "session/file_rewind.h"

#include <map>
#include <optional>
#include <utility>

#include "agent/checkpointed_files.h"

namespace agentd::session {
namespace {

using agent::FileBefore;
using platform::Links;
using FilesNow = std::map<std::string, FileNow>;

// ---- looking -----------------------------------------------------------------------------------

FileNow other(std::string fault) {
  FileNow now;
  now.is = FileNow::Is::other;
  now.fault = std::move(fault);
  return now;
}

FileNow look(platform::Files& files, const std::string& path) {
  const auto info = files.info(path, Links::refuse);
  if (!info) {
    if (info.error().code == Code::not_found) return {};
    return other(info.error().message);
  }
  if (info->kind != platform::FileKind::regular) return other("it is not a regular file any more");
  auto content = files.read(path, agent::CheckpointedFiles::kLargestKept, Links::refuse);
  if (!content) return other(content.error().message);
  const auto hash = platform::hash_content(*content);
  return {FileNow::Is::regular, hash, info->mode, std::move(*content), {}};
}

FilesNow look_at(platform::Files& files, const std::vector<FileChange>& changes) {
  FilesNow now;
  for (const FileChange& change : changes) {
    if (now.count(change.path) == 0) now[change.path] = look(files, change.path);
  }
  return now;
}

bool same(const FileNow& a, const FileNow& b) {
  return a.is == b.is && a.is != FileNow::Is::other && a.hash == b.hash;
}

// ---- changing ----------------------------------------------------------------------------------

// A file that is there keeps its mode; one that is made has `mode` from its first moment.
Result<void> put(platform::Files& files, const std::string& path, const FileNow& there,
                 const std::string& content, std::uint32_t mode) {
  if (there.is == FileNow::Is::absent) {
    return files.replace_with_mode(path, content, mode, Links::refuse);
  }
  return files.replace(path, content, Links::refuse);
}

// The files of one rewind, changed one after the other.
class Change {
 public:
  Change(platform::Files& files, CheckpointTable table, const std::string& session,
         const FilesNow& before)
      : files_(files), table_(table), session_(session), before_(before) {}

  /// All of them, or an error and none.
  Result<FileRewind> make(const std::vector<PlannedFile>& planned) {
    FileRewind done;
    for (const PlannedFile& file : planned) {
      auto changed = make(file);
      if (!changed) return with_put_back(std::move(changed.error()));
      (file.becomes ? done.restored : done.removed).push_back(file.path);
    }
    return done;
  }

  /// Takes back what was made and tells of it in `fault`.
  Error with_put_back(Error fault) {
    std::string left;
    for (const PlannedFile& file : made_) {
      if (!put_back(file)) left += (left.empty() ? "" : ", ") + file.path;
    }
    all_put_back_ = left.empty();
    fault.message += left.empty() ? "; nothing was changed"
                                  : "; these were changed and could not be put back: " + left;
    return fault;
  }

  bool all_put_back() const { return all_put_back_; }

 private:
  Result<void> make(const PlannedFile& file) {
    const FileNow& before = before_.at(file.path);
    std::string content;
    if (file.becomes) {
      auto stored = table_.content(session_, *file.becomes);
      if (!stored) return stored.error();
      content = std::move(*stored);
    }
    if (!same(look(files_, file.path), before)) {
      return make_error(Code::conflict, file.path + " was changed at this very moment", file.path);
    }
    auto done = file.becomes ? put(files_, file.path, before, content, file.mode)
                             : files_.remove(file.path, Links::refuse);
    if (done) made_.push_back(file);
    return done;
  }

  bool put_back(const PlannedFile& file) {
    const FileNow& before = before_.at(file.path);
    const FileNow now = look(files_, file.path);
    const bool as_made = file.becomes ? now.is == FileNow::Is::regular && now.hash == *file.becomes
                                      : now.is == FileNow::Is::absent;
    if (!as_made) return same(now, before);
    if (before.is == FileNow::Is::absent)
      return files_.remove(file.path, Links::refuse).has_value();
    return put(files_, file.path, now, before.content, before.mode).has_value();
  }

  platform::Files& files_;
  CheckpointTable table_;
  const std::string& session_;
  const FilesNow& before_;
  std::vector<PlannedFile> made_;
  bool all_put_back_ = true;
};

// What undoes `planned`.
std::vector<CheckpointTable::TakenAway> taken_away(const std::vector<PlannedFile>& planned,
                                                   const FilesNow& now) {
  std::vector<CheckpointTable::TakenAway> taken;
  for (const PlannedFile& file : planned) {
    const FileNow& there = now.at(file.path);
    FileChange change{file.path, FileBefore::Was::kept, there.mode, there.hash, true, file.becomes};
    taken.push_back({std::move(change), there.content});
  }
  return taken;
}

// `change` and what else is done, in one transaction.
Result<void> write_together(SessionStore& store, const DoneWith& change, const DoneWith& also) {
  auto transaction = store.begin();
  if (!transaction) return transaction.error();
  auto done = change(*transaction);
  if (done && also) done = also(*transaction);
  return done ? transaction->commit() : done;
}

Result<void> drop_record(SessionStore& store, const std::string& session,
                         const DoneWith& also = {}) {
  return write_together(
      store,
      [&](const Transaction& whole) { return store.checkpoints().drop_rewind(whole, session); },
      also);
}

}  // namespace

Result<FileRewind> rewind_files(SessionStore& store, platform::Files& files,
                                const std::string& session, std::int64_t log_size,
                                const DoneWith& also) {
  auto repaired = repair_file_rewind(store, files, session);
  if (!repaired) return repaired.error();
  CheckpointTable table = store.checkpoints();
  const auto changes = table.since(session, log_size);
  if (!changes) return changes.error();
  if (changes->empty()) {
    auto done = also ? write_together(store, also, {}) : Result<void>();
    if (!done) return done.error();
    return FileRewind{};
  }
  const FilesNow now = look_at(files, *changes);
  auto plan = plan_file_rewind(*changes, now);
  if (!plan.conflicts.empty()) return FileRewind{{}, {}, std::move(plan.conflicts)};
  auto begun = table.begin_rewind(session, taken_away(plan.files, now));
  if (!begun) return begun.error();
  Change change(files, table, session, now);
  auto done = change.make(plan.files);
  if (done) {
    auto finished = write_together(
        store,
        [&](const Transaction& whole) { return table.finish_rewind(whole, session, log_size); },
        also);
    if (!finished) done = change.with_put_back(std::move(finished.error()));
  }
  // Otherwise the record stays, for the repair.
  if (!done && change.all_put_back()) static_cast<void>(drop_record(store, session));
  return done;
}

Result<FileRewind> undo_file_rewind(SessionStore& store, platform::Files& files,
                                    const std::string& session, const DoneWith& also) {
  CheckpointTable table = store.checkpoints();
  const auto last = table.last_rewind(session);
  if (!last) return last.error();
  if (!*last) return make_error(Code::not_found, "there is no rewind of files to undo");
  const FilesNow now = look_at(files, (*last)->files);
  auto plan = plan_file_rewind((*last)->files, now);
  if (!plan.conflicts.empty()) return FileRewind{{}, {}, std::move(plan.conflicts)};
  Change change(files, table, session, now);
  auto done = change.make(plan.files);
  if (!done) return done;
  auto dropped = drop_record(store, session, also);
  if (!dropped) return change.with_put_back(std::move(dropped.error()));
  return done;
}

Result<void> repair_file_rewind(SessionStore& store, platform::Files& files,
                                const std::string& session) {
  CheckpointTable table = store.checkpoints();
  const auto last = table.last_rewind(session);
  if (!last) return last.error();
  if (!*last || (*last)->finished) return {};
  const FilesNow now = look_at(files, (*last)->files);
  // What somebody changed meanwhile stays, and is a conflict of the next rewind.
  auto done = Change(files, table, session, now).make(plan_file_rewind((*last)->files, now).files);
  if (!done) return done.error();
  return drop_record(store, session);
}

}  // namespace agentd::session
