// ChatDialect: in what the endpoints that speak Chat Completions differ when one writes to them.
// Begins with what is known of the host and is changed by what the endpoint shows: the name under
// which it sends reasoning, and refusals that name the parameter. Pure functions; the provider
// keeps one for its endpoint.
#pragma once

#include <optional>
#include <string_view>

#include "model/failure.h"

namespace agentd::model {

/// The member of an assistant's message that holds its reasoning. An endpoint that wants it back
/// wants it under the name it sent; none: it has sent none, and refuses such a member perhaps.
enum class ReasoningMember { none, reasoning_content, reasoning };

/// Empty for none.
std::string_view to_string(ReasoningMember member);

/// How a request says how long the reply may be. OpenAI's newer models refuse max_tokens, and many
/// other servers know nothing else.
enum class LimitParameter { max_tokens, max_completion_tokens };

std::string_view to_string(LimitParameter parameter);

struct ChatDialect {
  ReasoningMember reasoning = ReasoningMember::none;
  LimitParameter limit = LimitParameter::max_tokens;
  bool stream_options = true;  // asks for the usage chunk; a few servers refuse to be asked

  bool operator==(const ChatDialect&) const = default;
};

/// `host` as in address.h, its port included.
ChatDialect dialect_of_host(std::string_view host);

/// What to write instead after the endpoint refused what `used` wrote; nothing if the refusal is
/// about something else.
std::optional<ChatDialect> dialect_after(const ChatDialect& used, const ModelFailure& refusal);

}  // namespace agentd::model
