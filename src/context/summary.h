// Summary: the request that asks the model to sum the conversation up, and the message that stands
// at the head of the view afterwards. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context/tail.h"
#include "context/view.h"

namespace agentd::context {

struct SummaryRequest {
  std::size_t first = 0;          // what comes before this index of the view is left out
  std::string_view instructions;  // the user's wishes for the summary; may be empty
  bool without_images = false;    // costs the prompt cache, saves room
  bool shorter = false;           // a summary was cut by its limit: ask for less
};

/// The messages of the request: the view, whose bytes the prompt cache may hold, then the text
/// that asks for a summary. With something left out a note stands in its place.
View summary_request(const View& view, const SummaryRequest& request);

/// False for a blank one: then the compaction has failed.
bool usable_summary(std::string_view text);

/// How many tokens of the summary and of the user's last message there is room for. What is longer
/// is cut: a summary as long as what it sums up would only be summed up again.
struct HeadBudget {
  std::int64_t summary = 20'000;
  std::int64_t request = 20'000;
};

/// The blocks at the head of the view after a compaction: the summary, marked as background, and
/// behind it the user's last message with as many of its images as have room, where that is not in
/// what is kept and its work goes on. `log` names where the older messages can be read; empty:
/// nowhere.
std::vector<Block> summary_head(std::string_view summary, std::string_view log,
                                const std::optional<Request>& request,
                                const HeadBudget& budget = {});

/// Says how many images of what stood before `keep_from` are not in `head` either; nothing if none
/// is lost.
std::optional<Block> lost_images_note(const View& view, std::size_t keep_from,
                                      const std::vector<Block>& head);

}  // namespace agentd::context
