#include "support/model_talk.h"

namespace agentd::test {

model::ModelRequest simple_request(const std::string& prompt) {
  model::ModelRequest request;
  request.model = "test-model";
  request.max_output_tokens = 1000;
  request.messages.push_back(
      std::make_shared<const Message>(Message{Role::user, {TextBlock{prompt}}}));
  return request;
}

ModelTalk::ModelTalk(model::Provider& provider, model::EncoderCache& cache,
                     const model::ModelRequest& request) {
  stream_ = provider.send(request, cache, [this](const model::ModelEvents& events) {
    std::lock_guard lock(mutex_);
    reply_.take(events);
    changed_.notify_all();
  });
}

ModelTalk::~ModelTalk() {
  stream_.reset();
}

bool ModelTalk::wait_for(const std::function<bool(const AssembledReply&)>& seen,
                         std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return seen(reply_); });
}

AssembledReply ModelTalk::wait_end() {
  (void)wait_for([](const AssembledReply& reply) { return reply.ended; });
  std::lock_guard lock(mutex_);
  return reply_;
}

bool ModelTalk::ended() const {
  std::lock_guard lock(mutex_);
  return reply_.ended;
}

}  // namespace agentd::test
