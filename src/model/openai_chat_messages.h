// One message of the history in the JSON of Chat Completions, where it may become several: each
// tool result is a message of its own. Pure functions.
#pragma once

#include <string>

#include "message/message.h"
#include "model/openai_chat_dialect.h"

namespace agentd::model {

/// The messages' JSON, joined by commas; empty if nothing of `message` can be sent. Reasoning goes
/// back as `reasoning` says. Left out: what only its own vendor understands (signed and redacted
/// thinking, opaque blocks), and text that says nothing.
std::string encode_chat_messages(const Message& message, ReasoningMember reasoning);

/// The system prompt as the first message.
std::string encode_chat_system(const std::string& text);

/// Thinking that an endpoint of this API gave, as far as can be told: it is not signed.
bool has_unsigned_thinking(const Message& message);

/// A user's own words and not only the results of calls: reasoning from before it is of no use.
bool is_real_user_message(const Message& message);

}  // namespace agentd::model
