#include "agent/batch_summaries.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "wire/text.h"

namespace agentd::agent {
namespace {

constexpr std::size_t kSaidBytes = 400;    // of the reply's text
constexpr std::size_t kInputBytes = 400;   // of a call's input
constexpr std::size_t kResultBytes = 400;  // of its result
constexpr std::size_t kMostCalls = 12;
constexpr std::size_t kLineBytes = 160;
constexpr std::int64_t kOutputTokens = 200;
constexpr std::size_t kMostUnderWay = 4;  // a model slower than the run is not asked ever more

constexpr std::string_view kSystem =
    "You are told which tool calls a coding agent has just made. Say in one line of at most twelve "
    "words what they did or found, for somebody who watches. Name files and commands where that "
    "helps. No preamble, no quotes, no final period.";

void append_cut(std::string& out, std::string_view text, std::size_t bytes) {
  const auto head = utf8::head(text, bytes);
  out += head;
  if (head.size() < text.size()) out += " ...";
}

}  // namespace

std::string summary_prompt(std::string_view said, const std::vector<SummedCall>& calls) {
  std::string prompt;
  if (!said.empty()) {
    prompt += "The agent said: ";
    append_cut(prompt, said, kSaidBytes);
    prompt += '\n';
  }
  for (std::size_t i = 0; i < std::min(calls.size(), kMostCalls); ++i) {
    const SummedCall& call = calls[i];
    std::string input;
    wire::append_json(input, call.input);
    prompt += "\n" + call.name + " ";
    append_cut(prompt, input, kInputBytes);
    prompt += call.is_error ? "\nfailed: " : "\ngave: ";
    append_cut(prompt, call.result, kResultBytes);
    prompt += '\n';
  }
  if (calls.size() > kMostCalls) {
    prompt += "\nand " + std::to_string(calls.size() - kMostCalls) + " more calls\n";
  }
  return prompt;
}

std::string summary_line(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin);
  text = text.substr(0, text.find('\n'));
  text = text.substr(0, text.find_last_not_of(kBlank) + 1);
  std::string line;
  append_cut(line, text, kLineBytes);
  return line;
}

void BatchSummaries::begin(std::string_view said, std::vector<SummedCall> calls) {
  if (!model_ || calls.empty() || under_way_.size() >= kMostUnderWay) return;
  if (!cache_) cache_ = model_->provider->make_cache();
  UnderWay asked;
  asked.number = ++last_number_;
  asked.prices = model_->facts.prices;
  auto message = std::make_shared<const Message>(
      Message{Role::user, {TextBlock{summary_prompt(said, calls)}}});
  for (SummedCall& call : calls) asked.tool_use_ids.push_back(std::move(call.tool_use_id));
  model::ModelRequest request;
  request.model = model_->model;
  request.system = std::string(kSystem);
  request.messages = {std::move(message)};
  request.max_output_tokens = kOutputTokens;
  asked.stream = model_->provider->send(
      request, *cache_, [deliver = deliver_, number = asked.number](model::ModelEvents events) {
        deliver(number, std::move(events));
      });
  under_way_.push_back(std::move(asked));
}

std::optional<BatchSummaries::Outcome> BatchSummaries::take(int number,
                                                            const model::ModelEvents& events) {
  const auto found = std::find_if(under_way_.begin(), under_way_.end(),
                                  [&](const UnderWay& each) { return each.number == number; });
  if (found == under_way_.end()) return std::nullopt;
  found->reply.take(events);
  if (!found->reply.ended) return std::nullopt;
  const UnderWay over = std::move(*found);
  under_way_.erase(found);
  Outcome outcome{.summary = {}, .fault = {}, .usage = over.reply.usage, .prices = over.prices};
  std::string line = summary_line(over.reply.text);
  if (over.reply.failure) {
    outcome.fault = over.reply.failure->message;
    model_.reset();
    under_way_.clear();
  } else if (!line.empty()) {
    outcome.summary = ToolSummary{over.tool_use_ids, std::move(line)};
  }
  return outcome;
}

}  // namespace agentd::agent
