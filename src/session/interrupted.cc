#include "session/interrupted.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "agent/texts.h"
#include "base/ascii.h"
#include "context/attachment.h"
#include "protocol/events.h"
#include "protocol/methods.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"

namespace agentd::session {
namespace {

namespace texts = agent::texts;

// What parts are told apart by; they are ours, so they have what they should.
struct PartFields {
  std::optional<std::string> tool_use_id;
  std::optional<std::string> name;
  std::optional<int> turn;
  std::optional<std::string> message_id;

  static void fields(auto& field) {
    field("toolUseId", &PartFields::tool_use_id, "");
    field("name", &PartFields::name, "");
    field("turn", &PartFields::turn, "");
    field("messageId", &PartFields::message_id, "");
  }
};

// What is still open behind the parts seen so far.
struct Open {
  std::vector<std::pair<std::string, std::string>> calls;  // id and tool, in order
  std::vector<std::string> approvals;
  std::vector<std::string> questions;
  std::vector<protocol::UndeliveredMessage> messages;  // accepted, and the model was not told
  bool turn = false;
  int last_turn = 0;
  bool run = false;

  void see(std::string_view method, const PartFields& part);
};

void Open::see(std::string_view method, const PartFields& part) {
  const std::string id = part.tool_use_id.value_or("");
  if (method == protocol::kRunStarted.name) run = true;
  if (method == protocol::kRunEnded.name) *this = {};
  if (method == protocol::kTurnStarted.name) {
    turn = true;
    last_turn = part.turn.value_or(1);
  }
  if (method == protocol::kTurnEnded.name) turn = false;
  if (method == protocol::kToolUse.name) {
    const bool known = std::any_of(calls.begin(), calls.end(),
                                   [&id](const auto& call) { return call.first == id; });
    if (!known) calls.emplace_back(id, part.name.value_or(""));
  }
  if (method == protocol::kToolResult.name) {
    std::erase_if(calls, [&id](const auto& call) { return call.first == id; });
  }
  if (method == protocol::kApprovalRequested.name) approvals.push_back(id);
  if (method == protocol::kApprovalResolved.name) std::erase(approvals, id);
  if (method == protocol::kAgentUnsend.name || method == protocol::kAttachment.name) {
    std::erase_if(messages, [&part](const auto& message) {
      return message.message_id == part.message_id.value_or("");
    });
  }
  if (method == protocol::kQuestionAsked.name) questions.push_back(id);
  if (method == protocol::kQuestionResolved.name) std::erase(questions, id);
}

template <class Notification, class Event>
ClosingPart closing(const Notification& notification, const Event& event) {
  ClosingPart part{notification.name, {}};
  wire::append_members(part.params, event);
  return part;
}

const DraftBlock* call_in(const std::vector<DraftBlock>& draft, const std::string& id) {
  for (const DraftBlock& each : draft) {
    const auto* call = std::get_if<ToolUseBlock>(&each.block);
    if (call != nullptr && call->id == id) return &each;
  }
  return nullptr;
}

ToolResultBlock result_of(const DraftBlock& call, const std::string& id) {
  if (call.result) return *call.result;
  const auto text = call.began ? texts::kStoppedMayHaveRun : texts::kStoppedNotRun;
  return {id, {TextBlock{std::string(text)}}, true};
}

protocol::Content to_protocol(const ToolContent& content) {
  if (const auto* text = std::get_if<TextBlock>(&content)) return protocol::TextContent{text->text};
  const auto& image = std::get<ImageBlock>(content);
  return protocol::ImageContent{image.media_type, image.data};
}

protocol::ToolResult end_of_call(const std::string& id, const std::string& tool,
                                 const DraftBlock* call) {
  const ToolResultBlock result =
      call != nullptr ? result_of(*call, id)
                      : ToolResultBlock{id, {TextBlock{std::string(texts::kStoppedNotRun)}}, true};
  protocol::ToolResult out;
  out.tool_use_id = id;
  out.name = tool;
  out.is_error = result.is_error;
  out.status = protocol::ToolStatus::cancelled;
  if (call != nullptr && call->result) {
    out.status = result.is_error ? protocol::ToolStatus::failed : protocol::ToolStatus::completed;
  }
  for (const ToolContent& content : result.content) out.content.push_back(to_protocol(content));
  return out;
}

// What no request may have in a reply that was cut: thinking without its signature, or as the last
// of it; a text of nothing, which the history would drop from behind such thinking.
std::vector<Block> sendable(std::vector<Block> blocks) {
  std::erase_if(blocks, [](const Block& block) {
    const auto* thinking = std::get_if<ThinkingBlock>(&block);
    const auto* text = std::get_if<TextBlock>(&block);
    return (thinking != nullptr && !thinking->signature) ||
           (text != nullptr && ascii::blank(text->text));
  });
  while (!blocks.empty() && is_thinking(blocks.back())) blocks.pop_back();
  return blocks;
}

protocol::RunEnded end_of_run(const Open& open) {
  protocol::RunEnded out;
  out.ending =
      open.calls.empty() ? protocol::Ending::aborted_streaming : protocol::Ending::aborted_tools;
  out.outcome = protocol::Outcome::stopped;
  // What closes the run does not know which of the two it was.
  out.message =
      "The run ends here: agentd was stopped, or the session was cut at this point. Start again to "
      "go on.";
  out.turns = open.last_turn;
  if (!open.messages.empty()) out.not_delivered = open.messages;
  return out;
}

}  // namespace

std::vector<Message> closed_reply(const std::vector<DraftBlock>& draft) {
  Message reply{Role::assistant, {}};
  Message answer{Role::user, {}};
  for (const DraftBlock& each : draft) {
    reply.blocks.push_back(each.block);
    const auto* call = std::get_if<ToolUseBlock>(&each.block);
    if (call != nullptr) answer.blocks.emplace_back(result_of(each, call->id));
  }
  reply.blocks = sendable(std::move(reply.blocks));
  if (reply.blocks.empty()) return {};
  answer.blocks.emplace_back(TextBlock{
      context::wrapped({context::AttachmentKind::note, {}, std::string(texts::kStoppedHere)})});
  return {std::move(reply), std::move(answer)};
}

Result<std::vector<ClosingPart>> closing_parts(const std::vector<Part>& parts,
                                               const std::vector<DraftBlock>& draft) {
  Open open;
  for (const Part& part : parts) {
    auto tree = wire::parse(part.params);
    if (!tree) return tree.error();
    auto fields = wire::decode<PartFields>(*tree, part.method);
    if (!fields) return fields.error();
    open.see(part.method, *fields);
    if (part.method != protocol::kAgentSend.name) continue;
    auto message = wire::decode<protocol::UndeliveredMessage>(*tree, part.method);
    if (!message) return message.error();
    open.messages.push_back(std::move(*message));
  }
  std::vector<ClosingPart> closed;
  if (!open.run) return closed;
  for (const std::string& id : open.approvals) {
    closed.push_back(closing(protocol::kApprovalResolved,
                             protocol::ApprovalResolved{id, protocol::ApprovalDecision::deny,
                                                        protocol::ApprovalBy::cancelled}));
  }
  for (const std::string& id : open.questions) {
    closed.push_back(closing(protocol::kQuestionResolved,
                             protocol::QuestionResolved{id, protocol::QuestionBy::cancelled}));
  }
  for (const auto& [id, tool] : open.calls) {
    closed.push_back(closing(protocol::kToolResult, end_of_call(id, tool, call_in(draft, id))));
  }
  if (open.turn) {
    closed.push_back(closing(protocol::kTurnEnded, protocol::TurnEnded{open.last_turn, {}, {}}));
  }
  closed.push_back(closing(protocol::kRunEnded, end_of_run(open)));
  return closed;
}

}  // namespace agentd::session
