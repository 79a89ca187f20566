// Messages and changes of the view as the JSON that is stored. Read back they are equal, byte for
// byte in every text, so that a loaded session sends what it would have sent. The names in it are
// written to users' disks: they are only ever added to. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "context/view_change.h"
#include "message/message.h"

namespace agentd::session {

std::string to_json(const Message& message);
/// Error: invalid_input, with the path of the fault.
Result<Message> message_from_json(std::string_view json);

std::string to_json(const context::ViewChange& change);
Result<context::ViewChange> change_from_json(std::string_view json);

}  // namespace agentd::session
