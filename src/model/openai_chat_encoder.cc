#include "model/openai_chat_encoder.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "model/openai_chat_messages.h"
#include "model/wire_names.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

// Sealed in steps: rarely enough that the copying costs nothing, often enough that a request
// stays a few hundred pieces.
constexpr std::size_t kSealAbove = 96;  // loose messages
constexpr std::size_t kKeepLoose = 32;  // of them stay loose: the last ones change now and then

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

void append_tools(std::string& out, const std::vector<ToolDefinition>& tools) {
  out += R"(,"tools":[)";
  for (const ToolDefinition& tool : tools) {
    wire::append_comma(out);
    out += R"({"type":"function","function":{"name":)";
    wire::append_string(out, tool.name);
    out += R"(,"description":)";
    wire::append_string(out, tool.description);
    out += R"(,"parameters":)";
    wire::append_json(out, tool.input_schema);
    out += "}}";
  }
  out += ']';
}

// The usual choice is not written: it is the API's own.
void append_tool_choice(std::string& out, const ToolChoice& choice) {
  switch (choice.kind) {
    case ToolChoiceKind::automatic:
      return;
    case ToolChoiceKind::any:
      out += R"(,"tool_choice":"required")";
      return;
    case ToolChoiceKind::none:
      out += R"(,"tool_choice":"none")";
      return;
    case ToolChoiceKind::tool:
      out += R"(,"tool_choice":{"type":"function","function":{"name":)";
      wire::append_string(out, choice.name);
      out += "}}";
      return;
  }
}

std::string encode_tail(const ModelRequest& request, const ChatDialect& dialect) {
  std::string out = R"(],"stream":true)";
  if (dialect.stream_options) out += R"(,"stream_options":{"include_usage":true})";
  if (request.max_output_tokens > 0) {
    wire::append_key(out, to_string(dialect.limit));
    wire::append_int(out, request.max_output_tokens);
  }
  if (request.tools && !request.tools->empty()) append_tool_choice(out, request.tool_choice);
  out += '}';
  return out;
}

// Where the loop began that the next reply belongs to: behind the last message of the user's own.
std::size_t loop_begin(const std::vector<MessagePtr>& messages) {
  std::size_t at = messages.size();
  while (at > 0 && !is_real_user_message(*messages[at - 1])) --at;
  return at;
}

}  // namespace

BodyPieces OpenAiChatEncoderCache::encode(const ModelRequest& request, const ChatDialect& dialect) {
  encode_head(request);
  encode_messages(request, dialect.reasoning);
  seal();
  BodyPieces pieces;
  pieces.reserve(sealed_.size() + (messages_.size() - sealed_messages()) + 2);
  pieces.push_back(head_);
  for (const Sealed& segment : sealed_) pieces.push_back(segment.bytes);
  for (std::size_t i = sealed_messages(); i < messages_.size(); ++i) {
    pieces.push_back(messages_[i].bytes);
  }
  pieces.push_back(shared(encode_tail(request, dialect)));
  return pieces;
}

void OpenAiChatEncoderCache::encode_head(const ModelRequest& request) {
  if (head_ && model_ == request.model && system_ == request.system && tools_ == request.tools) {
    return;
  }
  // Whether the first message follows a comma.
  if (ascii::blank(system_) != ascii::blank(request.system)) forget_from(0);
  model_ = request.model;
  system_ = request.system;
  tools_ = request.tools;
  std::string out = R"({"model":)";
  wire::append_string(out, model_);
  if (tools_ && !tools_->empty()) append_tools(out, *tools_);
  out += R"(,"messages":[)";
  if (!ascii::blank(system_)) out += encode_chat_system(system_);
  head_ = shared(std::move(out));
}

void OpenAiChatEncoderCache::encode_messages(const ModelRequest& request,
                                             ReasoningMember reasoning) {
  const auto& wanted = request.messages;
  const std::size_t begin = loop_begin(wanted);
  const auto carried = [&](std::size_t i) {
    return i >= begin && has_unsigned_thinking(*wanted[i]) ? reasoning : ReasoningMember::none;
  };
  std::size_t same = 0;
  while (same < messages_.size() && same < wanted.size() &&
         messages_[same].message == wanted[same] && messages_[same].reasoning == carried(same)) {
    ++same;
  }
  if (same < messages_.size()) forget_from(same);
  for (std::size_t i = messages_.size(); i < wanted.size(); ++i) {
    std::string text = encode_chat_messages(*wanted[i], carried(i));
    const bool first = i == 0 && ascii::blank(system_);
    if (!first && !text.empty()) text.insert(text.begin(), ',');
    messages_.push_back({wanted[i], carried(i), shared(std::move(text))});
    ++encoded_messages_;
  }
}

// A message in the middle changed (the history was compacted, its last message was joined with a
// new one, its reasoning is of no more use): what comes after is encoded anew, and so is what was
// sealed together with it.
void OpenAiChatEncoderCache::forget_from(std::size_t index) {
  while (sealed_messages() > index) sealed_.pop_back();
  messages_.resize(std::max(index, sealed_messages()));
  while (messages_.size() > sealed_messages() && !messages_.back().bytes) messages_.pop_back();
}

void OpenAiChatEncoderCache::seal() {
  const std::size_t first = sealed_messages();
  if (messages_.size() - first <= kSealAbove) return;
  const std::size_t last = messages_.size() - kKeepLoose;
  std::string bytes;
  for (std::size_t i = first; i < last; ++i) {
    bytes += *messages_[i].bytes;
    messages_[i].bytes.reset();
  }
  sealed_.push_back({last, shared(std::move(bytes))});
}

}  // namespace agentd::model
