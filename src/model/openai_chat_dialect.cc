#include "model/openai_chat_dialect.h"

namespace agentd::model {
namespace {

// That there is no such parameter, and not that its value is wrong.
bool says_unknown(const ModelFailure& refusal) {
  for (const std::string_view phrase : {"nsupported", "not support", "nrecognized", "nknown",
                                        "xtra", "nexpected", "not permitted"}) {
    if (refusal.message.find(phrase) != std::string::npos) return true;
  }
  return false;
}

bool names(const ModelFailure& refusal, std::string_view parameter) {
  return refusal.message.find(parameter) != std::string::npos;
}

}  // namespace

std::string_view to_string(ReasoningMember member) {
  switch (member) {
    case ReasoningMember::none:
      return "";
    case ReasoningMember::reasoning_content:
      return "reasoning_content";
    case ReasoningMember::reasoning:
      return "reasoning";
  }
  return "";
}

std::string_view to_string(LimitParameter parameter) {
  switch (parameter) {
    case LimitParameter::max_tokens:
      return "max_tokens";
    case LimitParameter::max_completion_tokens:
      return "max_completion_tokens";
  }
  return "max_tokens";
}

ChatDialect dialect_of_host(std::string_view host) {
  ChatDialect dialect;
  host = host.substr(0, host.find(':'));
  if (host == "api.openai.com" || host.ends_with(".openai.azure.com")) {
    dialect.limit = LimitParameter::max_completion_tokens;
  }
  return dialect;
}

std::optional<ChatDialect> dialect_after(const ChatDialect& used, const ModelFailure& refusal) {
  constexpr int kBadRequest = 400;
  constexpr int kUnprocessable = 422;
  if (refusal.http_status != kBadRequest && refusal.http_status != kUnprocessable) {
    return std::nullopt;
  }
  if (refusal.failure_class != FailureClass::invalid_request || !says_unknown(refusal)) {
    return std::nullopt;
  }
  ChatDialect next = used;
  if (used.stream_options && names(refusal, "stream_options")) {
    next.stream_options = false;
  } else if (used.limit == LimitParameter::max_tokens && names(refusal, "max_completion_tokens")) {
    next.limit = LimitParameter::max_completion_tokens;
  } else if (used.limit == LimitParameter::max_completion_tokens &&
             names(refusal, "max_completion_tokens")) {
    next.limit = LimitParameter::max_tokens;
  } else if (used.reasoning != ReasoningMember::none && names(refusal, to_string(used.reasoning))) {
    next.reasoning = ReasoningMember::none;
  } else {
    return std::nullopt;
  }
  return next;
}

}  // namespace agentd::model
