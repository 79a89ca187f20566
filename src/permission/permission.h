// Permission: may a call run? A pure judgement over resolved paths, the mode, and what the user
// granted for this session. Rules from settings come later and enter here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "message/access.h"
#include "message/permission_mode.h"
#include "platform/files.h"

namespace agentd::permission {

using Mode = PermissionMode;
using agentd::parse_mode;
using agentd::to_string;

enum class Decision { allow, ask, deny };

/// Why a verdict asks.
enum class AskCause {
  mode,   // the mode asks about such calls everywhere
  place,  // the call would read or write outside the workspace, or write to a protected path
};

struct Verdict {
  Decision decision = Decision::ask;
  std::string reason;               // for the person asked, and for the model when denied
  AskCause cause = AskCause::mode;  // of an ask
};

/// `access` with every path made canonical. Touches the disk.
Result<Access> resolve(const Access& access, platform::Files& files);

/// What the user allowed for the rest of the session: this command text, this file; nothing wider.
class Grants {
 public:
  void add(const Access& resolved);
  bool covers(const Access& resolved) const;

  // What was allowed, to be kept with the session.
  const std::unordered_set<std::string>& commands() const { return commands_; }
  const std::unordered_set<std::string>& reads() const { return reads_; }
  const std::unordered_set<std::string>& writes() const { return writes_; }

 private:
  std::unordered_set<std::string> commands_;
  std::unordered_set<std::string> reads_;
  std::unordered_set<std::string> writes_;
};

/// Pure. `workspace` is canonical and `resolved` comes from resolve().
Verdict judge(Mode mode, const Access& resolved, const std::string& workspace,
              const Grants& grants);

}  // namespace agentd::permission
