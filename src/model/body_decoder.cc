#include "model/body_decoder.h"

#include <utility>

#include "base/utf8.h"
#include "model/endpoint_failure.h"
#include "wire/parse.h"

namespace agentd::model {

void BodyDecoder::feed(std::string_view bytes, ModelEvents& out) {
  if (ended_) return;
  aim(out);
  auto failure = body_.feed(bytes, [this](auto name, auto data) { take_event(name, data); });
  if (failure && !ended_) fail(std::move(*failure));
}

void BodyDecoder::finish(ModelEvents& out, std::optional<ModelFailure> failure) {
  if (ended_) return;
  aim(out);
  finishing_ = true;
  body_.finish([this](auto name, auto data) { take_event(name, data); });
  if (body_.kind() == ReplyBody::Kind::json) take_json_body();
  if (ended_) return;
  if (stop_) {
    end_positively();
  } else if (failure) {
    fail(std::move(*failure));
  } else if (message_began_ || any_block()) {
    fail(failure_of(FailureClass::stream_truncated,
                    "The model's stream ended in the middle of the reply."));
  } else {
    fail(body_.without_reply());
  }
}

void BodyDecoder::aim(ModelEvents& out) {
  out_ = &out;
  emit_into(out);
}

void BodyDecoder::take_event(std::string_view name, std::string_view data) {
  if (ended_) return;
  const std::size_t at = data.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return;
  data.remove_prefix(at);
  if (data.front() != '{') return take_word(data);
  if (!utf8::valid(data)) return parse_object(name, utf8::repaired(data));
  if (!take_usual(name, data)) parse_object(name, data);
}

void BodyDecoder::parse_object(std::string_view name, std::string_view data) {
  const Result<Json> object = wire::parse(data);
  if (object) return take_object(name, *object, data);
  // Cut off in the middle of a line: that the reply is not whole is what there is to say.
  if (finishing_) return;
  fail(failure_of(FailureClass::malformed_event,
                  "The model's stream held an event that is not JSON: " + excerpt(data)));
}

void BodyDecoder::take_json_body() {
  const std::string text = utf8::repaired(body_.held());
  const Result<Json> body = wire::parse(text);
  if (!body || !body->is_object() || take_whole(*body, text)) return;
  fail(failure_of(FailureClass::empty_response,
                  "The endpoint answered with no message: " + excerpt(text)));
}

void BodyDecoder::begin_message(std::string model) {
  if (!std::exchange(message_began_, true)) out_->push_back(MessageBegan{std::move(model)});
}

void BodyDecoder::tell_usage(const Usage& told) {
  usage_.overwrite(told);
  out_->push_back(UsageTold{usage_});
}

void BodyDecoder::end_positively() {
  end_blocks();
  if (stop_) out_->push_back(*stop_);
  out_->push_back(MessageEnded{});
  ended_ = true;
}

void BodyDecoder::fail(ModelFailure failure) {
  if (stop_) return end_positively();
  out_->push_back(Failed{std::move(failure)});
  ended_ = true;
}

}  // namespace agentd::model
