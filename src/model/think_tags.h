// ThinkTags: reasoning that a model writes into its text, between <think> and </think> at the very
// beginning. Only for endpoints of which the user's settings say so, as a text may begin that way.
// Holds back nothing but what may be a piece of a tag. Owned by a decoder.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/event.h"

namespace agentd::model {

class ThinkTags {
 public:
  using OnProse = std::function<void(DeltaKind kind, std::string piece)>;

  void feed(std::string_view piece, const OnProse& on_prose);
  /// The text is over: gives out what was held back.
  void finish(const OnProse& on_prose);

 private:
  void take_beginning();
  void take_thinking(const OnProse& on_prose);
  void take_gap();

  enum class Where { beginning, thinking, gap, text } where_ = Where::beginning;
  std::string held_;
};

}  // namespace agentd::model
