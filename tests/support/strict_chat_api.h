// StrictChatApi: judges the body of a Chat Completions request as the real API would, and answers
// what it would answer: the message of a 400 for the first rule that is broken. So that no test
// passes with a history that a real endpoint refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/model_server.h"

namespace agentd::test {

class StrictChatApi {
 public:
  /// The message of the refusal; nothing if the request is good.
  std::optional<std::string> refusal(std::string_view body) const;

  /// The same for a whole request, headers included, as the reply to give.
  std::optional<ServerReply> refuse(const SeenRequest& request) const;
};

}  // namespace agentd::test
