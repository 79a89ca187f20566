#include "model/reply_body.h"

#include <utility>

#include "model/endpoint_failure.h"

namespace agentd::model {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kHead = 1024;  // of a stream or a page: enough to say what came

// The first byte that is neither white space nor a byte order mark.
std::size_t first_meaningful(std::string_view text) {
  const std::size_t at = text.substr(0, 3) == kByteOrderMark ? 3 : 0;
  return text.find_first_not_of(" \t\r\n", at);
}

}  // namespace

std::optional<ModelFailure> ReplyBody::feed(std::string_view bytes,
                                            const SseReader::OnEvent& on_event) {
  std::string first;
  if (kind_ == Kind::unknown) {
    held_.append(bytes);
    if (!tell_kind() || kind_ != Kind::stream) return std::nullopt;
    first = std::exchange(held_, {});
    bytes = first;
  }
  if (kind_ == Kind::stream) {
    if (feed_stream(bytes, on_event)) return std::nullopt;
    return failure_of(FailureClass::malformed_event,
                      "The model's stream held an event above 16 MB.");
  }
  if (kind_ == Kind::page && held_.size() >= kHead) return std::nullopt;
  held_.append(bytes);
  if (held_.size() <= SseReader::kLargestEvent) return std::nullopt;
  return failure_of(FailureClass::malformed_event,
                    "The model's answer is a JSON body above 16 MB.");
}

bool ReplyBody::feed_stream(std::string_view bytes, const SseReader::OnEvent& on_event) {
  if (held_.size() < kHead) held_.append(bytes.substr(0, kHead));
  return sse_.feed(bytes, on_event);
}

// A stream begins with a field name or a colon, a JSON body with a brace, a page with `<`.
bool ReplyBody::tell_kind() {
  const bool mark_is_cut =
      held_.size() < kByteOrderMark.size() && kByteOrderMark.substr(0, held_.size()) == held_;
  const std::size_t at = first_meaningful(held_);
  if (mark_is_cut || at == std::string::npos) return false;
  kind_ = held_[at] == '{' ? Kind::json : held_[at] == '<' ? Kind::page : Kind::stream;
  return true;
}

void ReplyBody::finish(const SseReader::OnEvent& on_event) {
  if (kind_ == Kind::stream) (void)sse_.finish(on_event);
}

ModelFailure ReplyBody::without_reply() const {
  if (kind_ == Kind::page) {
    return failure_of(FailureClass::not_sse,
                      "The endpoint answered with a page: " + excerpt(held_));
  }
  if (kind_ == Kind::json) {
    return failure_of(FailureClass::malformed_event,
                      "The endpoint's JSON does not parse: " + excerpt(held_));
  }
  if (kind_ == Kind::stream && held_.find(':') == std::string::npos) {
    return failure_of(FailureClass::not_sse, "The endpoint answered with text: " + excerpt(held_));
  }
  return failure_of(FailureClass::empty_response, "The endpoint answered with an empty reply.");
}

ModelFailure failure_of(FailureClass failure_class, std::string message) {
  ModelFailure failure;
  failure.failure_class = failure_class;
  failure.message = std::move(message);
  return failure;
}

}  // namespace agentd::model
