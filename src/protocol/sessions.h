// Requests about stored sessions: session/list, load, fork, rewind, undoRewind, rename, delete,
// export.
#pragma once

#include "protocol/content.h"
#include "protocol/modes.h"

namespace agentd::protocol {

struct SessionListParams {
  static constexpr std::string_view kName = "SessionListParams";
  std::optional<std::string> cwd;
  std::optional<std::string> search;
  std::optional<std::string> cursor;
  std::optional<int> limit;

  static void fields(auto& field) {
    field("cwd", &SessionListParams::cwd,
          "Only sessions of this workspace, an absolute path. Absent: of all.", wire::kNoNul);
    field("search", &SessionListParams::search,
          "Only sessions whose title has these words, the case of ASCII letters aside.");
    field(
        "cursor", &SessionListParams::cursor,
        "The nextCursor of the page before, with the same cwd and search. Absent: the first page.");
    field("limit", &SessionListParams::limit, "At most this many. Absent: 50.",
          {.minimum = 1, .maximum = 1000});
  }
};

struct SessionInfo {
  static constexpr std::string_view kName = "SessionInfo";
  std::string session_id;
  std::string title;
  std::string cwd;
  std::string created_at;
  std::string updated_at;
  std::optional<std::string> forked_from;
  std::optional<bool> running;

  static void fields(auto& field) {
    field("sessionId", &SessionInfo::session_id, "The session.");
    field("title", &SessionInfo::title, "From its first prompt, or what session/rename said.");
    field("cwd", &SessionInfo::cwd, "The workspace it began in.");
    field("createdAt", &SessionInfo::created_at,
          "When it began: ISO 8601 in UTC, `2026-11-30T06:12:33.120Z`.");
    field("updatedAt", &SessionInfo::updated_at, "When something was last said in it.");
    field("forkedFrom", &SessionInfo::forked_from, "The session it was forked from.");
    field("running", &SessionInfo::running,
          "True: a run of this agentd is going on in it. Absent: none is, or one of another "
          "process.");
  }
};

struct SessionListResult {
  static constexpr std::string_view kName = "SessionListResult";
  std::vector<SessionInfo> sessions;
  std::optional<std::string> next_cursor;

  static void fields(auto& field) {
    field("sessions", &SessionListResult::sessions, "The latest first.");
    field("nextCursor", &SessionListResult::next_cursor,
          "For the next page; absent: this was all.");
  }
};

/// Of requests that only name a session.
struct SessionParams {
  static constexpr std::string_view kName = "SessionParams";
  std::string session_id;

  static void fields(auto& field) {
    field("sessionId", &SessionParams::session_id, "The session.", wire::kNoNul);
  }
};

struct LastRun {
  static constexpr std::string_view kName = "LastRun";
  std::string run_id;
  std::optional<Ending> ending;

  static void fields(auto& field) {
    field("runId", &LastRun::run_id, "The run.");
    field("ending", &LastRun::ending, "How it ended; absent: it is going on.");
  }
};

struct SessionLoadResult {
  static constexpr std::string_view kName = "SessionLoadResult";
  std::string session_id;
  std::string title;
  std::string cwd;
  std::optional<std::string> model;
  PermissionMode permission_mode = PermissionMode::ask;
  std::optional<LastRun> last_run;

  static void fields(auto& field) {
    field("sessionId", &SessionLoadResult::session_id, "The session.");
    field("title", &SessionLoadResult::title, "Its title.");
    field("cwd", &SessionLoadResult::cwd, "The workspace it began in.");
    field("model", &SessionLoadResult::model,
          "The model that was asked for last; absent: nobody named one.");
    field("permissionMode", &SessionLoadResult::permission_mode, "The mode that holds.");
    field("lastRun", &SessionLoadResult::last_run, "Its latest run; absent: it had none.");
  }
};

/// Either runId, with or without turn, or messageId.
struct SessionPoint {
  static constexpr std::string_view kName = "SessionPoint";
  static constexpr std::string_view kDoc =
      "Where a session is cut: before a run and its prompt, before a turn of it, or before a "
      "message "
      "of agent/send. Give runId, with or without turn, or messageId.";
  std::optional<std::string> run_id;
  std::optional<int> turn;
  std::optional<std::string> message_id;

  static void fields(auto& field) {
    field("runId", &SessionPoint::run_id, "The run that goes, with its prompt and all behind it.");
    field("turn", &SessionPoint::turn, "Only from this turn of the run on; its prompt stays.",
          {.minimum = 1});
    field("messageId", &SessionPoint::message_id,
          "What agent/send answered: that message goes, and all behind it.");
  }
};

struct SessionForkParams {
  static constexpr std::string_view kName = "SessionForkParams";
  std::string session_id;
  std::optional<SessionPoint> before;

  static void fields(auto& field) {
    field("sessionId", &SessionForkParams::session_id,
          "The session to copy. A run may be going on in it, here or in another process.",
          wire::kNoNul);
    field("before", &SessionForkParams::before, "Only what was before this. Absent: all of it.");
  }
};

struct SessionForkResult {
  static constexpr std::string_view kName = "SessionForkResult";
  std::string session_id;

  static void fields(auto& field) {
    field("sessionId", &SessionForkResult::session_id, "The new session.");
  }
};

struct SessionRewindParams {
  static constexpr std::string_view kName = "SessionRewindParams";
  std::string session_id;
  SessionPoint before;
  RewindScope restore = RewindScope::both;

  static void fields(auto& field) {
    field("sessionId", &SessionRewindParams::session_id,
          "The session; no run may be going on in it.", wire::kNoNul);
    field("before", &SessionRewindParams::before, "Back to what was before this.");
    field("restore", &SessionRewindParams::restore, "What is put back.");
  }
};

struct RewindConflict {
  static constexpr std::string_view kName = "RewindConflict";
  std::string path;
  std::string reason;

  static void fields(auto& field) {
    field("path", &RewindConflict::path, "The file, an absolute path.");
    field("reason", &RewindConflict::reason, "Why it was not touched, for people.");
  }
};

struct SessionRewindResult {
  static constexpr std::string_view kName = "SessionRewindResult";
  std::vector<std::string> restored;
  std::vector<std::string> removed;
  std::vector<RewindConflict> conflicts;

  static void fields(auto& field) {
    field("restored", &SessionRewindResult::restored, "Files that have their old content again.");
    field("removed", &SessionRewindResult::removed,
          "Files that are gone, since they were not there before.");
    field("conflicts", &SessionRewindResult::conflicts,
          "Files that somebody else has changed since. Not empty: nothing was done at all, neither "
          "to files nor to the conversation.");
  }
};

struct SessionRenameParams {
  static constexpr std::string_view kName = "SessionRenameParams";
  std::string session_id;
  std::string title;

  static void fields(auto& field) {
    field("sessionId", &SessionRenameParams::session_id, "The session.", wire::kNoNul);
    field("title", &SessionRenameParams::title, "Its new title; not empty, at most 500 bytes.");
  }
};

struct SessionExportParams {
  static constexpr std::string_view kName = "SessionExportParams";
  std::string session_id;
  std::optional<std::string> path;

  static void fields(auto& field) {
    field("sessionId", &SessionExportParams::session_id, "The session.", wire::kNoNul);
    field(
        "path", &SessionExportParams::path,
        "The file to write, an absolute path at which nothing is yet. Absent: the lines come with "
        "the answer, at most 8 MiB of them; beyond that error tooLarge.",
        wire::kNoNul);
  }
};

struct SessionExportResult {
  static constexpr std::string_view kName = "SessionExportResult";
  std::int64_t line_count = 0;
  std::optional<std::string> path;
  std::optional<std::vector<std::string>> lines;

  static void fields(auto& field) {
    field("lineCount", &SessionExportResult::line_count, "How many lines it has.", {.minimum = 1});
    field("path", &SessionExportResult::path, "The file that was written.");
    field(
        "lines", &SessionExportResult::lines,
        "Without a path: the lines, each one JSON object with a `type`: session (first), message, "
        "change, part.");
  }
};

}  // namespace agentd::protocol
