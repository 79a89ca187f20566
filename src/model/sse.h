// SseReader: bytes of a text/event-stream in any cut -> events, by the rules of the WHATWG event
// stream format, with one difference: the last event is delivered at the end of the body even
// without its blank line, because gateways forget it. Owned by one decoder, http thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace agentd::model {

class SseReader {
 public:
  /// Called once per event that has a data field; the views live as long as the call.
  using OnEvent = std::function<void(std::string_view name, std::string_view data)>;

  explicit SseReader(std::size_t largest_event = kLargestEvent) : largest_event_(largest_event) {}

  /// False once an event passed the limit: what follows is not read any more.
  bool feed(std::string_view bytes, const OnEvent& on_event);

  /// The body is over: delivers what is left.
  bool finish(const OnEvent& on_event);

  /// No API sends events of this size; a stream without line ends would fill the memory.
  static constexpr std::size_t kLargestEvent = 16 * 1024 * 1024;

 private:
  // Where a line's bytes live decides whether its data may be kept as a view until feed returns.
  enum class Lives { in_the_chunk, in_the_buffer };

  void take_line(std::string_view line, Lives lives, const OnEvent& on_event);
  void take_data(std::string_view value, Lives lives);
  void dispatch(const OnEvent& on_event);
  void keep_view();

  std::size_t largest_event_;
  std::string partial_line_;
  std::string name_;
  std::string data_;            // data of the open event, unless data_view_ holds it
  std::string_view data_view_;  // a single data line, still in the chunk being fed
  bool viewing_ = false;
  bool has_data_ = false;
  bool first_line_ = true;
  bool skip_line_feed_ = false;  // the last chunk ended between CR and LF
  bool too_large_ = false;
};

}  // namespace agentd::model
