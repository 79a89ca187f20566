#include "support/chat_replies.h"

#include <algorithm>

namespace agentd::test {
namespace {

std::string chunk_of(const Json& choices, const Json& usage = nullptr) {
  Json chunk = {{"id", "chatcmpl-1"},
                {"object", "chat.completion.chunk"},
                {"created", 1700000000},
                {"model", "model-1"},
                {"choices", choices}};
  if (!usage.is_null()) chunk["usage"] = usage;
  return "data: " + chunk.dump() + "\n\n";
}

Json choice_of(const Json& delta, const Json& finish) {
  return {{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}};
}

}  // namespace

void ChatReply::delta(const Json& delta) {
  body_ += chunk_of(choice_of(delta, nullptr));
}

ChatReply& ChatReply::text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' ', 1), text.size());
    delta({{"content", std::string(text.substr(0, length))}});
    text.remove_prefix(length);
  }
  return *this;
}

ChatReply& ChatReply::reasoning(std::string_view text, std::string_view member) {
  delta({{std::string(member), std::string(text)}});
  return *this;
}

ChatReply& ChatReply::call(std::string_view id, std::string_view name, const Json& input) {
  constexpr std::size_t kPiece = 7;
  const auto piece = [&](Json call) {
    call["index"] = calls_;
    delta({{"tool_calls", {std::move(call)}}});
  };
  piece({{"id", std::string(id)},
         {"type", "function"},
         {"function", {{"name", std::string(name)}, {"arguments", ""}}}});
  const std::string arguments = input.dump(-1, ' ', true);  // ASCII: any cut is between characters
  for (std::size_t at = 0; at < arguments.size(); at += kPiece) {
    piece({{"function", {{"arguments", arguments.substr(at, kPiece)}}}});
  }
  ++calls_;
  return *this;
}

ChatReply& ChatReply::usage(std::int64_t prompt, std::int64_t completion) {
  usage_ = {{"prompt_tokens", prompt},
            {"completion_tokens", completion},
            {"total_tokens", prompt + completion}};
  return *this;
}

ChatReply& ChatReply::finish(std::string_view reason) {
  finish_ = reason;
  return *this;
}

ChatReply& ChatReply::cut() {
  cut_ = true;
  return *this;
}

std::string ChatReply::str() const {
  if (cut_) return body_;
  const std::string reason = !finish_.empty() ? finish_ : calls_ > 0 ? "tool_calls" : "stop";
  std::string out = body_ + chunk_of(choice_of(Json::object(), reason));
  if (!usage_.is_null()) out += chunk_of(Json::array(), usage_);
  return out + "data: [DONE]\n\n";
}

}  // namespace agentd::test
