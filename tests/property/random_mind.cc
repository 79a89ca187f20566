#include "property/random_mind.h"

#include <array>

namespace agentd::test {

using model::BlockKind;
using model::StopReason;

model::ModelEvents RandomMind::reply(std::size_t request_number) {
  model::ModelEvents events;
  block_ = 0;
  if (always_cut) {
    return {model::BlockBegan{0, BlockKind::text, {}, {}},
            model::Delta{0, model::DeltaKind::text, "on and on"},
            model::StopTold{StopReason::max_tokens, "max_tokens", {}}, model::MessageEnded{}};
  }
  if (in_circles) {
    return {model::BlockBegan{0, BlockKind::tool_use, "c" + std::to_string(request_number), "Look"},
            model::Delta{0, model::DeltaKind::input, R"({"path":"a"})"},
            model::BlockEnded{0, std::nullopt, {}}, model::MessageEnded{}};
  }
  if (one_in(2)) events.emplace_back(model::MessageBegan{"mind"});
  events.emplace_back(model::UsageTold{{.input_tokens = 10, .output_tokens = 1}});
  const int blocks = below(5);
  for (int i = 0; i < blocks; ++i) add_block(events, request_number);
  add_end(events);
  return events;
}

void RandomMind::add_block(model::ModelEvents& events, std::size_t request_number) {
  switch (below(6)) {
    case 0:
      events.emplace_back(model::BlockBegan{block_, BlockKind::thinking, {}, {}});
      events.emplace_back(model::Delta{block_, model::DeltaKind::thinking, "hm"});
      if (!one_in(5)) {
        events.emplace_back(model::BlockEnded{
            block_, one_in(3) ? std::nullopt : std::optional<std::string>("SIG"), {}});
      }
      ++block_;
      return;
    case 1:
    case 2:
      events.emplace_back(model::BlockBegan{block_, BlockKind::text, {}, {}});
      if (!one_in(6)) {
        events.emplace_back(
            model::Delta{block_, model::DeltaKind::text, one_in(5) ? " \n" : "some text"});
      }
      if (!one_in(5)) events.emplace_back(model::BlockEnded{block_, std::nullopt, {}});
      ++block_;
      return;
    default:
      add_call(events, request_number);
      return;
  }
}

// Every stand-in tool with every input, some of them more often.
std::vector<std::pair<std::string, std::string>> RandomMind::stand_in_menu() {
  std::vector<std::pair<std::string, std::string>> menu;
  for (const char* name : {"Look", "Look", "Look", "Change", "Change", "Command", "Throw", "Ask",
                           "Leave", "Nothing"}) {
    for (const char* input :
         {R"({"path":"a"})", R"({"path":"b"})", R"({"path":"a","n":2})", R"({"command":"make"})",
          R"({})", "", R"({"path":)", R"([1])", R"({"bad":1})", R"({"path":"/etc/x"})"}) {
      menu.emplace_back(name, input);
    }
  }
  return menu;
}

void RandomMind::add_call(model::ModelEvents& events, std::size_t request_number) {
  std::string id = "t" + std::to_string(request_number) + "_" + std::to_string(block_);
  if (one_in(8)) id = "";
  if (one_in(8)) id = used_id;
  const auto& [name, input] = menu[static_cast<std::size_t>(below(static_cast<int>(menu.size())))];
  events.emplace_back(model::BlockBegan{block_, BlockKind::tool_use, id, name});
  const auto cut = static_cast<std::size_t>(below(static_cast<int>(input.size()) + 1));
  if (cut > 0) {
    events.emplace_back(model::Delta{block_, model::DeltaKind::input, input.substr(0, cut)});
  }
  if (cut < input.size()) {
    events.emplace_back(model::Delta{block_, model::DeltaKind::input, input.substr(cut)});
  }
  if (!one_in(6)) events.emplace_back(model::BlockEnded{block_, std::nullopt, {}});
  ++block_;
}

void RandomMind::add_end(model::ModelEvents& events) {
  if (one_in(6)) {
    static constexpr std::array kFailures = {
        model::FailureClass::overloaded,          model::FailureClass::network,
        model::FailureClass::stream_truncated,    model::FailureClass::timeout_idle,
        model::FailureClass::malformed_event,     model::FailureClass::invalid_request,
        model::FailureClass::context_overflow,    model::FailureClass::auth,
        model::FailureClass::image_refused,       model::FailureClass::thinking_refused,
        model::FailureClass::output_limit_refused};
    model::ModelFailure failure;
    failure.failure_class = kFailures[static_cast<std::size_t>(below(kFailures.size()))];
    failure.message = "random failure";
    if (failure.failure_class == model::FailureClass::output_limit_refused) {
      failure.allowed_output = 1'000 + below(10'000);
    }
    events.emplace_back(model::Failed{failure});
    return;
  }
  if (!one_in(8)) {
    const auto reason = any_reason();
    events.emplace_back(model::StopTold{reason, std::string(model::to_string(reason)), {}});
  }
  events.emplace_back(model::UsageTold{{.output_tokens = below(1200)}});
  events.emplace_back(model::MessageEnded{});
}

StopReason RandomMind::any_reason() {
  static constexpr std::array kReasons = {
      StopReason::end_turn,   StopReason::end_turn,      StopReason::tool_use,
      StopReason::tool_use,   StopReason::max_tokens,    StopReason::max_tokens,
      StopReason::pause_turn, StopReason::stop_sequence, StopReason::unknown,
      StopReason::timeout,    StopReason::refusal,       StopReason::context_window_exceeded};
  return kReasons[static_cast<std::size_t>(below(kReasons.size()))];
}

}  // namespace agentd::test
