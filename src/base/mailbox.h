// Mailbox: the queue through which threads talk. Any thread pushes; one thread, the owner, pops.
// Closing it hands what is left to the owner, so that every message gets an answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace agentd {

template <class Message>
class Mailbox {
 public:
  /// Any thread. False if the mailbox is closed: the message was not taken (and is unchanged).
  bool push(Message&& message) {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return false;
      messages_.push_back(std::move(message));
    }
    arrived_.notify_one();
    return true;
  }

  /// Owner only. Waits for a message; nullopt once the mailbox is closed and empty.
  std::optional<Message> pop() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !messages_.empty() || closed_; });
    return take(lock);
  }

  /// Owner only. A message if there is one now.
  std::optional<Message> try_pop() {
    std::unique_lock lock(mutex_);
    return take(lock);
  }

  /// No push succeeds from now on. Returns what was never popped, in order.
  std::deque<Message> close() {
    std::deque<Message> left;
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      left.swap(messages_);
    }
    arrived_.notify_all();
    return left;
  }

 private:
  std::optional<Message> take(std::unique_lock<std::mutex>&) {
    if (messages_.empty()) return std::nullopt;
    std::optional<Message> message(std::move(messages_.front()));
    messages_.pop_front();
    return message;
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
  bool closed_ = false;
};

}  // namespace agentd
