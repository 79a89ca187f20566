// A session as JSON Lines, for people and other programs: what was said, what was done to the view
// and what clients were told, merged into the order it came about. Read by pages, from rows as they
// are stored: nothing is decoded on the way.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/utc_time.h"
#include "session/store.h"
#include "wire/text.h"

namespace agentd::session {
namespace {

constexpr std::size_t kPageBytes = 256 * 1024;

std::string header(const SessionRow& row) {
  std::string line = R"({"type":"session","version":1)";
  const auto text = [&line](std::string_view key, std::string_view value) {
    wire::append_key(line, key);
    wire::append_string(line, value);
  };
  text("id", row.id);
  text("title", row.title);
  text("workspace", row.workspace);
  text("created", utc_time(row.created));
  text("updated", utc_time(row.updated));
  if (row.lineage) text("lineage", *row.lineage);
  return line + '}';
}

std::string begun(std::string_view type, std::int64_t number) {
  std::string line = R"({"type":")";
  line += type;
  line += '"';
  wire::append_key(line, "number");
  wire::append_int(line, number);
  return line;
}

// `object` is stored JSON, `{...}`: its members go behind those of `line`.
std::string with_members(std::string line, std::string_view object) {
  if (!object.starts_with('{')) return line + '}';  // somebody spoiled it
  line += ',';
  line += object.substr(1);
  return line;
}

/// A statement on the row it will give next.
class Rows {
 public:
  static Result<Rows> begin(Database& database, std::string_view sql, const std::string& session,
                            std::int64_t first) {
    auto statement = database.prepare(sql);
    if (!statement) return statement.error();
    statement->bind(1, session).bind(2, first);
    Rows rows(std::move(*statement));
    auto there = rows.next();
    if (!there) return there.error();
    return rows;
  }

  bool there() const { return there_; }
  Result<void> next() {
    auto there = row_.step();
    if (!there) return there.error();
    there_ = *there;
    return {};
  }
  std::int64_t integer(int column) const { return row_.integer(column); }
  std::string_view text(int column) const { return row_.text(column); }

 private:
  explicit Rows(Statement row) : row_(std::move(row)) {}
  Statement row_;
  bool there_ = false;
};

/// The three tables, each on its next row. While one of the statements is on a row, SQLite shows
/// all of them the file as it was at the first.
struct Merge {
  Rows messages;  // number, json
  Rows changes;   // number, log_size, after_part, json
  Rows parts;     // number, log_size, run, method, params

  enum class Kind { message, change, part, none };

  /// What came about first.
  Kind first() const {
    const bool change = changes.there() && (!parts.there() || change_before_part());
    if (!change && !parts.there()) return messages.there() ? Kind::message : Kind::none;
    const std::int64_t log_size = change ? changes.integer(1) : parts.integer(1);
    if (messages.there() && messages.integer(0) < log_size) return Kind::message;
    return change ? Kind::change : Kind::part;
  }

  bool change_before_part() const {
    if (changes.integer(1) != parts.integer(1)) return changes.integer(1) < parts.integer(1);
    return changes.integer(2) < parts.integer(0);
  }

  Result<std::string> take(Kind kind, ExportPosition& at) {
    std::string line;
    Rows* taken = nullptr;
    switch (kind) {
      case Kind::message:
        taken = &messages;
        at.message = messages.integer(0) + 1;
        line = with_members(begun("message", messages.integer(0)), messages.text(1));
        break;
      case Kind::change:
        taken = &changes;
        at.change = changes.integer(0) + 1;
        line = with_members(begun("change", changes.integer(0)), changes.text(3));
        break;
      case Kind::part:
        taken = &parts;
        at.part = parts.integer(0) + 1;
        line = part_line();
        break;
      case Kind::none:
        return line;
    }
    auto moved = taken->next();
    if (!moved) return moved.error();
    return line;
  }

  std::string part_line() const {
    std::string line = begun("part", parts.integer(0));
    wire::append_key(line, "runId");
    wire::append_string(line, parts.text(2));
    wire::append_key(line, "method");
    wire::append_string(line, parts.text(3));
    wire::append_key(line, "params");
    line += parts.text(4);
    return line + '}';
  }
};

}  // namespace

Result<std::vector<std::string>> SessionStore::export_lines(const std::string& session,
                                                            ExportPosition& at) {
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  if (!at.header_told) {
    auto about = row(session);
    if (!about) return about.error();
    lines.push_back(header(*about));
    at.header_told = true;
  }
  auto messages = Rows::begin(
      database_, "SELECT number, json FROM message WHERE session=? AND number>=? ORDER BY number",
      session, at.message);
  if (!messages) return messages.error();
  auto changes = Rows::begin(database_,
                             "SELECT number, log_size, after_part, json FROM change"
                             " WHERE session=? AND number>=? ORDER BY number",
                             session, at.change);
  if (!changes) return changes.error();
  auto parts = Rows::begin(database_,
                           "SELECT number, log_size, run, method, params FROM part"
                           " WHERE session=? AND number>=? ORDER BY number",
                           session, at.part);
  if (!parts) return parts.error();
  Merge merge{std::move(*messages), std::move(*changes), std::move(*parts)};
  while (bytes < kPageBytes) {
    const Merge::Kind kind = merge.first();
    if (kind == Merge::Kind::none) break;
    auto line = merge.take(kind, at);
    if (!line) return line.error();
    bytes += line->size();
    lines.push_back(std::move(*line));
  }
  return lines;
}

}  // namespace agentd::session
