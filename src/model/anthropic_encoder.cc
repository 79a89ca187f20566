#include "model/anthropic_encoder.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/ascii.h"
#include "model/anthropic_blocks.h"
#include "model/wire_names.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";

// Sealed in steps: rarely enough that the copying costs nothing, often enough that a request
// stays a few hundred pieces.
constexpr std::size_t kSealAbove = 96;  // loose messages
constexpr std::size_t kKeepLoose = 32;  // of them stay loose: cache points move among these

// When a request does not say: what every model allows.
constexpr std::int64_t kSafeMaximumTokens = 4096;

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::shared_ptr<const std::string> mark_piece() {
  static const std::shared_ptr<const std::string> kPiece = shared(std::string(kMark));
  return kPiece;
}

void append_tools(std::string& out, const std::vector<ToolDefinition>& tools, bool marked) {
  out += R"(,"tools":[)";
  for (const ToolDefinition& tool : tools) {
    wire::append_comma(out);
    out += R"({"name":)";
    wire::append_string(out, tool.name);
    out += R"(,"description":)";
    wire::append_string(out, tool.description);
    out += R"(,"input_schema":)";
    wire::append_json(out, tool.input_schema);
    if (marked && &tool == &tools.back()) out += kMark;
    out += '}';
  }
  out += ']';
}

// The usual choice is not written: it is the API's own.
void append_tool_choice(std::string& out, const ToolChoice& choice) {
  switch (choice.kind) {
    case ToolChoiceKind::automatic:
      return;
    case ToolChoiceKind::any:
      out += R"(,"tool_choice":{"type":"any"})";
      return;
    case ToolChoiceKind::none:
      out += R"(,"tool_choice":{"type":"none"})";
      return;
    case ToolChoiceKind::tool:
      out += R"(,"tool_choice":{"type":"tool","name":)";
      wire::append_string(out, choice.name);
      out += '}';
      return;
  }
}

std::string encode_tail(const ModelRequest& request) {
  std::string out = R"(],"max_tokens":)";
  wire::append_int(out,
                   request.max_output_tokens > 0 ? request.max_output_tokens : kSafeMaximumTokens);
  // With a forced call the API refuses thinking.
  const bool thinks = request.adaptive_thinking && !request.tool_choice.forces();
  if (thinks) out += R"(,"thinking":{"type":"adaptive","display":"summarized"})";
  if (request.tools && !request.tools->empty()) append_tool_choice(out, request.tool_choice);
  out += R"(,"stream":true})";
  return out;
}

}  // namespace

BodyPieces AnthropicEncoderCache::encode(const ModelRequest& request) {
  encode_head(request);
  encode_messages(request);

  std::vector<bool> marked(messages_.size(), false);
  std::size_t marks = kMaximumCacheMarks - (head_marked_ ? 1 : 0);
  std::size_t oldest_mark = messages_.size();
  for (auto point = request.cache_points.rbegin();
       point != request.cache_points.rend() && marks > 0; ++point) {
    if (*point >= messages_.size() || *point < sealed_messages()) continue;
    if (!messages_[*point].markable || marked[*point]) continue;
    marked[*point] = true;
    oldest_mark = std::min(oldest_mark, *point);
    --marks;
  }
  seal(oldest_mark);

  BodyPieces pieces;
  pieces.reserve(sealed_.size() + (messages_.size() - sealed_messages()) * 3 + 2);
  pieces.push_back(head_);
  for (const Sealed& segment : sealed_) pieces.push_back(segment.bytes);
  for (std::size_t i = sealed_messages(); i < messages_.size(); ++i) {
    pieces.push_back(messages_[i].front);
    if (marked[i]) pieces.push_back(mark_piece());
    pieces.push_back(messages_[i].back);
  }
  pieces.push_back(shared(encode_tail(request)));
  return pieces;
}

void AnthropicEncoderCache::encode_head(const ModelRequest& request) {
  if (head_ && model_ == request.model && system_ == request.system && tools_ == request.tools) {
    return;
  }
  model_ = request.model;
  system_ = request.system;
  tools_ = request.tools;
  const bool has_tools = tools_ && !tools_->empty();
  // The prefix the API caches is tools, then system: a mark on the system text covers both.
  const bool mark_system = !ascii::blank(system_);
  head_marked_ = mark_system || has_tools;
  std::string out = R"({"model":)";
  wire::append_string(out, model_);
  if (mark_system) {
    out += R"(,"system":[{"type":"text","text":)";
    wire::append_string(out, system_);
    out += kMark;
    out += "}]";
  }
  if (has_tools) append_tools(out, *tools_, !mark_system);
  out += R"(,"messages":[)";
  head_ = shared(std::move(out));
}

void AnthropicEncoderCache::encode_messages(const ModelRequest& request) {
  const auto& wanted = request.messages;
  std::size_t same = 0;
  while (same < messages_.size() && same < wanted.size() &&
         messages_[same].message == wanted[same]) {
    ++same;
  }
  if (same < messages_.size()) forget_from(same);
  for (std::size_t i = messages_.size(); i < wanted.size(); ++i) {
    MessageText text = encode_message(*wanted[i]);
    if (i > 0 && !text.front.empty()) text.front.insert(text.front.begin(), ',');
    messages_.push_back(
        {wanted[i], shared(std::move(text.front)), shared(std::move(text.back)), text.markable});
    ++encoded_messages_;
  }
}

// A message in the middle changed (the history was compacted, or its last message was joined with
// a new one): what comes after is encoded anew, and so is what was sealed together with it.
void AnthropicEncoderCache::forget_from(std::size_t index) {
  while (sealed_messages() > index) sealed_.pop_back();
  messages_.resize(index > sealed_messages() ? index : sealed_messages());
  // Messages that were sealed and are loose again have lost their bytes.
  while (!messages_.empty() && !messages_.back().front && messages_.size() > sealed_messages()) {
    messages_.pop_back();
  }
}

void AnthropicEncoderCache::seal(std::size_t before) {
  const std::size_t first = sealed_messages();
  if (messages_.size() - first <= kSealAbove) return;
  const std::size_t last = std::min(before, messages_.size() - kKeepLoose);
  if (last <= first) return;
  std::string bytes;
  for (std::size_t i = first; i < last; ++i) {
    bytes += *messages_[i].front;
    bytes += *messages_[i].back;
    messages_[i].front.reset();
    messages_[i].back.reset();
  }
  sealed_.push_back({last, shared(std::move(bytes))});
}

}  // namespace agentd::model
