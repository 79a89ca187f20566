// Tokens: how large a conversation is for the model. What the API counted is believed; what came
// since, and what no API has counted, is estimated. Values, on the run's thread.
//
// The estimate: a token for every 4 ASCII bytes, the figure that agents of this kind use for
// English and code, and for every 2 bytes of other characters (a Cyrillic or accented letter is
// one token, a Chinese character one and a half: rather too many than too few). Signatures are not
// counted. An image counts as one of the largest useful size.
#pragma once

#include <cstdint>
#include <string_view>

#include "message/message.h"

namespace agentd::context {

/// A 16:9 image whose long edge is 1568 pixels, at one token per 28 x 28 pixels.
inline constexpr std::int64_t kImageTokens = 1792;
/// What stands around each block and each message.
inline constexpr std::int64_t kBlockTokens = 4;

std::int64_t estimate(std::string_view text);
std::int64_t estimate(const Block& block);
std::int64_t estimate(const Message& message);
std::int64_t estimate(const ToolDefinition& tool);

/// The size of the next request. Costs what is new: call add for each message, measured for each
/// reply, replaced when the view changed otherwise.
class TokenCount {
 public:
  /// Tokens that are in every request besides the messages: system prompt and tools, estimated.
  void set_overhead(std::int64_t tokens) { overhead_ = tokens; }

  std::int64_t overhead() const { return overhead_; }

  /// A message of `tokens` (estimated) stands at the end of the view.
  void add(std::int64_t tokens);

  /// The API counted the request and the reply which is now the end of the view. A usage without
  /// input tokens, or with none, is ignored: some endpoints send no count or zeros.
  void measured(const Usage& usage);

  /// The view has become one of `tokens` (estimated). What was measured goes on to count as the
  /// proportion between the API's count and our estimate.
  void replaced(std::int64_t tokens);

  std::int64_t tokens() const { return (base_ ? *base_ : overhead_) + tail_; }
  /// True if an API's count is in it.
  bool is_measured() const { return base_.has_value(); }

 private:
  std::int64_t overhead_ = 0;
  std::int64_t estimated_ = 0;        // all messages of the view
  std::optional<std::int64_t> base_;  // counted: overhead and the view without its tail
  std::int64_t tail_ = 0;             // estimated: what came since
};

}  // namespace agentd::context
