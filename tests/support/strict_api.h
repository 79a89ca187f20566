// StrictApi: judges the body of a Messages API request as the real API would, and answers what it
// would answer: the message of a 400 for the first rule that is broken. So that no test passes with
// a history that a real endpoint refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "message/message.h"
#include "support/model_server.h"

namespace agentd::test {

class StrictApi {
 public:
  /// Thinking this endpoint gave out, in this order: from now on only these are taken back, byte
  /// for byte. Without any, signatures are not looked at.
  void issued_thinking(std::string text, std::string signature);

  /// The message of the refusal; nothing if the request is good.
  std::optional<std::string> refusal(std::string_view body) const;

  /// The same for a whole request, headers included, as the reply to give.
  std::optional<ServerReply> refuse(const SeenRequest& request) const;

 private:
  std::vector<std::pair<std::string, std::string>> thinking_;  // text, signature
};

}  // namespace agentd::test
