// One message in the Messages API's JSON. Pure functions.
#pragma once

#include <string>

#include "message/message.h"

namespace agentd::model {

/// The message's JSON in two parts: a cache mark goes between them, or nothing.
struct MessageText {
  std::string front;
  std::string back;
  bool markable = false;  // false: no block may carry a mark (thinking only, say)
};

/// Both parts are empty if nothing of the message can be sent (unsigned thinking only, say): the
/// API refuses a message without content.
MessageText encode_message(const Message& message);

}  // namespace agentd::model
