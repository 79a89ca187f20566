// BatchSummaries: one line for people about each finished batch of calls, written by a small model
// beside the next turn. Nothing waits for it: what has not come when the run ends is dropped. Off
// unless a model is named. Run's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/event.h"
#include "agent/text_reply.h"
#include "model/models.h"

namespace agentd::agent {

/// A call as the small model is told of it.
struct SummedCall {
  std::string tool_use_id;
  std::string name;
  Json input;
  std::string result;  // its text
  bool is_error = false;
};

/// The text that the small model is asked with: `said` is the text of the reply that made the
/// calls. Long parts are cut; calls beyond the first few are only counted.
std::string summary_prompt(std::string_view said, const std::vector<SummedCall>& calls);

/// The line that is shown: the first of `text` that is not blank, cut where it is too long. Empty:
/// there is none.
std::string summary_line(std::string_view text);

class BatchSummaries {
 public:
  /// Gives what arrives, on any thread, to take(), on the run's.
  using Deliver = std::function<void(int number, model::ModelEvents events)>;

  BatchSummaries(std::optional<model::ResolvedModel> model, Deliver deliver)
      : model_(std::move(model)), deliver_(std::move(deliver)) {}

  bool on() const { return model_.has_value(); }
  void begin(std::string_view said, std::vector<SummedCall> calls);

  /// What became of a request that is over.
  struct Outcome {
    std::optional<ToolSummary> summary;
    std::string fault;  // why there is none; told once: what else is asked is dropped with it
    Usage usage;
    std::optional<model::Prices> prices;
  };
  /// Nothing while it goes on.
  std::optional<Outcome> take(int number, const model::ModelEvents& events);

  void stop() { under_way_.clear(); }

 private:
  struct UnderWay {
    int number = 0;
    std::vector<std::string> tool_use_ids;
    std::optional<model::Prices> prices;
    TextReply reply;
    std::unique_ptr<model::ModelStream> stream;
  };

  std::optional<model::ResolvedModel> model_;
  Deliver deliver_;
  std::unique_ptr<model::EncoderCache> cache_;
  std::vector<UnderWay> under_way_;
  int last_number_ = 0;
};

}  // namespace agentd::agent
