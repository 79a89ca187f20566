// StoredState: what a session has besides what was said in it, as JSON in its row: mode, grants,
// which files were read, the todo list, what the model was told. The names in it are written to
// users' disks: they are only ever added to, and what is added later is optional. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation.h"
#include "base/result.h"

namespace agentd::session {

/// What starts of this session asked for and the next one goes on with; the server's to fill.
struct StoredWishes {
  std::optional<std::string> model;
  std::optional<std::string> system_prompt;
  std::optional<std::vector<std::string>> tools;

  static void fields(auto& field) {
    field("model", &StoredWishes::model, "As it was asked for last.");
    field("systemPrompt", &StoredWishes::system_prompt, "");
    field("tools", &StoredWishes::tools, "");
  }

  bool operator==(const StoredWishes&) const = default;
};

std::string state_json(const agent::Conversation& conversation, const StoredWishes& wishes);

/// Puts what `json` says into `conversation`, whose history it leaves alone. Error: invalid_input,
/// with the path of the fault; nothing is changed.
Result<StoredWishes> restore_state(std::string_view json, agent::Conversation& conversation);

}  // namespace agentd::session
