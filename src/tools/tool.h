// Tool: one thing the model can do. A tool says what it is for (definition), whether a given input
// changes anything (safe), what it would touch (access), and does it (run). It never fails by
// exception or Result: whatever happens becomes an Outcome that tells the model how to go on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/flow_gate.h"
#include "base/result.h"
#include "message/access.h"
#include "message/message.h"
#include "message/permission_mode.h"
#include "message/question.h"
#include "message/todo.h"
#include "platform/commands.h"
#include "platform/files.h"
#include "platform/read_set.h"

namespace agentd::tools {

/// What a call may use. Lives as long as the call.
struct CallContext {
  std::string session_id;
  std::string tool_use_id;
  std::string cwd;        // absolute, canonical; where relative paths and commands start
  std::string workspace;  // absolute, canonical; the directory the session was started in
  platform::Files& files;
  platform::Commands& commands;
  platform::ReadSet& read_set;
  std::shared_ptr<FlowGate> gate;  // closed while the client reads too slowly; may be null
  std::stop_token stop;
  /// Live output for people, valid UTF-8. Any thread.
  std::function<void(platform::OutputStream, std::string_view)> progress;
  /// What the call was judged by, resolved. Tools use these paths and resolve none themselves: a
  /// link swapped in between would lead elsewhere. nullptr: nobody judged (tests).
  const Access* judged = nullptr;
  /// To each of the tool's questions(), in their order. Empty: it asks none, or nobody was asked.
  std::vector<QuestionAnswer> answers = {};
  PermissionMode mode = PermissionMode::ask;  // when the call was judged
  PermissionMode mode_before_plan = PermissionMode::ask;
};

/// The judged path of a call that reads, or writes, one place. Open it with Links::refuse. `named`
/// where nobody judged.
std::string judged_read(const CallContext& context, const std::string& named);
std::string judged_write(const CallContext& context, const std::string& named);

/// What became of a call.
struct Outcome {
  std::vector<ToolContent> content;  // for the model; never empty
  bool is_error = false;
  Json details;                 // for people: diff, exit code, counts; null if none
  bool cancels_queued = false;  // a Bash failure: calls queued behind it are cancelled

  // What holds in the run from here on, where it is another than before.
  std::optional<std::string> cwd;          // working directory
  std::optional<std::vector<Todo>> todos;  // the whole list
  std::optional<PermissionMode> mode;      // counts only if the call was asked for and allowed
};

Outcome text_outcome(std::string text, Json details = nullptr);
Outcome error_outcome(std::string text, Json details = nullptr);

class Tool {
 public:
  virtual ~Tool() = default;

  /// Constant for the tool's life. Any thread.
  virtual const ToolDefinition& definition() const = 0;

  /// Checks `input` against the schema and turns what can be turned without loss into the declared
  /// type ("10" for an integer). The error tells the model which field is wrong and what is
  /// expected. Pure.
  virtual Result<Json> coerce(const Json& input) const = 0;

  /// True if a call with this input changes nothing and may run beside others. Pure; `input` has
  /// passed coerce(), as in all that follows.
  virtual bool safe(const Json& input) const = 0;

  /// What the call would touch. Pure: relative paths are joined to `cwd`, nothing is looked up.
  virtual Access access(const Json& input, const std::string& cwd) const = 0;

  /// True of a tool that asks the user and runs once they have answered. It is not offered where
  /// nobody could.
  virtual bool asks_user() const { return false; }

  /// What it asks. Pure.
  virtual std::vector<Question> questions(const Json& input) const {
    (void)input;
    return {};
  }

  /// True of a tool whose outcome may carry a mode: what stands behind its call is not judged
  /// before the call is settled.
  virtual bool changes_mode() const { return false; }

  /// What a person sees when asked: a unified diff for an edit, a plan, else nothing. Reads
  /// files.
  virtual std::optional<std::string> preview(const Json& input, const CallContext& context) const {
    (void)input;
    (void)context;
    return std::nullopt;
  }

  /// Does it, on its own thread. Returns soon after a stop request.
  virtual Outcome run(const Json& input, const CallContext& context) const = 0;
};

}  // namespace agentd::tools
