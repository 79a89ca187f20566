#include "server/events.h"

#include <utility>

#include "protocol/events.h"
#include "protocol/methods.h"
#include "server/closed_sets.h"
#include "wire/encode.h"

namespace agentd::server {
namespace {

/// The members of `event` as text, for the outbox to put behind those of every notification.
template <class Event>
std::string members(const Event& event) {
  std::string out;
  wire::append_members(out, event);
  return out;
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  wire::append_key(out, key);
  wire::append_string(out, text);
}

// Large inputs are encoded from where they are, not through a copy in a protocol struct.
void append_input(std::string& out, const std::shared_ptr<const Json>& input) {
  wire::append_key(out, "input");
  if (input) {
    wire::append_json(out, *input);
  } else {
    out += "{}";
  }
}

protocol::Content to_protocol(ToolContent&& content) {
  if (auto* text = std::get_if<TextBlock>(&content)) {
    return protocol::TextContent{std::move(text->text)};
  }
  auto& image = std::get<ImageBlock>(content);
  return protocol::ImageContent{std::move(image.media_type), std::move(image.data)};
}

/// What a client sent, as it sent it: text and images are all there is in a prompt.
std::vector<protocol::Content> contents(std::vector<Block>&& blocks) {
  std::vector<protocol::Content> out;
  for (Block& block : blocks) {
    if (auto* text = std::get_if<TextBlock>(&block)) out.push_back(to_protocol(std::move(*text)));
    if (auto* image = std::get_if<ImageBlock>(&block))
      out.push_back(to_protocol(std::move(*image)));
  }
  return out;
}

std::vector<protocol::ApprovalOption> approval_options(bool may_be_granted) {
  using protocol::ApprovalDecision;
  using protocol::ApprovalScope;
  std::vector<protocol::ApprovalOption> options;
  options.push_back({ApprovalDecision::allow, ApprovalScope::once, "Allow"});
  if (may_be_granted) {
    options.push_back({ApprovalDecision::allow, ApprovalScope::session,
                       "Allow, and also later for this same file / command"});
  }
  options.push_back({ApprovalDecision::deny, ApprovalScope::once, "Deny"});
  return options;
}

protocol::HookRan hook_ran(const hooks::HookRecord& record) {
  protocol::HookRan out;
  out.event = hooks::to_string(record.event);
  out.command = record.command;
  out.origin = record.origin;
  out.outcome = server::to_protocol(record.outcome);
  out.duration_ms = record.duration.count();
  out.exit_code = record.exit_code;
  if (!record.message.empty()) out.message = record.message;
  return out;
}

}  // namespace

protocol::Usage to_protocol(const Usage& usage) {
  return {usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens,
          usage.output_tokens};
}

std::string session_hook_message(const std::string& session_id, const hooks::HookRecord& record) {
  protocol::SessionHookRan ran;
  static_cast<protocol::HookRan&>(ran) = hook_ran(record);
  ran.session_id = session_id;
  std::string out = R"({"jsonrpc":"2.0")";
  append_member(out, "method", protocol::kSessionHook.name);
  wire::append_key(out, "params");
  return out + wire::encode(ran) + '}';
}

void keep_sent(const RunRecord& record, const std::string& message_id) {
  if (!record.journal) return;
  std::vector<Block> said = record.prompt;
  record.journal->keep_part(
      record.run_id, protocol::kAgentSend.name,
      members(protocol::UndeliveredMessage{message_id, contents(std::move(said))}));
}

void keep_unsent(const RunRecord& record, const std::string& message_id) {
  if (!record.journal) return;
  std::string fields;
  append_member(fields, "messageId", message_id);
  record.journal->keep_part(record.run_id, protocol::kAgentUnsend.name, fields);
}

void EventWriter::emit(agent::Event event) {
  std::visit([this](auto& said) { write(said); }, event);
}

// Into the record, and to the client.
void EventWriter::notify(std::string_view method, std::string_view fields) {
  if (record_.journal) record_.journal->keep_part(record_.run_id, method, fields);
  if (channel_) channel_->notify(method, fields);
}

// What the user said: a live client has it already, one that loads the session has not.
void EventWriter::record_message(std::vector<Block> said, const std::string& message_id) {
  if (!record_.journal) return;
  protocol::UserMessage out{contents(std::move(said)), std::nullopt};
  if (!message_id.empty()) out.message_id = message_id;
  record_.journal->keep_part(record_.run_id, protocol::kUserMessage.name, members(out));
}

void EventWriter::write(const agent::RunStarted& event) {
  notify(protocol::kRunStarted.name, members(protocol::RunStarted{event.model}));
  if (!record_.prompt.empty()) record_message(std::move(record_.prompt), {});
  for (const agent::Notice& notice : opening_) write(notice);
  opening_.clear();
}

void EventWriter::write(const agent::TurnStarted& event) {
  protocol::TurnStarted out{event.turn, std::nullopt, event.model};
  if (event.transition) out.transition = server::to_protocol(*event.transition);
  notify(protocol::kTurnStarted.name, members(out));
}

void EventWriter::write(const agent::TurnEnded& event) {
  protocol::TurnEnded out{event.turn, std::nullopt, server::to_protocol(event.usage)};
  if (!event.stop_reason.empty()) out.stop_reason = event.stop_reason;
  notify(protocol::kTurnEnded.name, members(out));
}

void EventWriter::block_delta(std::string_view method, const std::string& block_id,
                              const std::string& text) {
  fields_.clear();
  append_member(fields_, "blockId", block_id);
  if (channel_) channel_->delta({method, fields_, "text", text, false});
  if (record_.journal) record_.journal->keep_text(record_.run_id, method, fields_, text);
}

void EventWriter::write(const agent::TextDelta& event) {
  block_delta(protocol::kTextDelta.name, event.block_id, event.text);
}

void EventWriter::write(const agent::ThinkingDelta& event) {
  block_delta(protocol::kThinkingDelta.name, event.block_id, event.text);
}

void EventWriter::write(const agent::ToolUse& event) {
  fields_.clear();
  append_member(fields_, "toolUseId", event.tool_use_id);
  append_member(fields_, "name", event.name);
  append_member(fields_, "state", wire::name_of(server::to_protocol(event.state)));
  switch (event.state) {
    case agent::ToolUseState::input_delta:
      if (channel_) {
        channel_->delta({protocol::kToolUse.name, fields_, "inputDelta", event.input_delta, false});
      }
      return;  // not recorded: `ready` has all of it
    case agent::ToolUseState::ready:
      append_input(fields_, event.input);
      break;
    case agent::ToolUseState::started:
    case agent::ToolUseState::running:
      break;
  }
  notify(protocol::kToolUse.name, fields_);
}

void EventWriter::write(const agent::ToolProgress& event) {
  fields_.clear();
  append_member(fields_, "toolUseId", event.tool_use_id);
  append_member(fields_, "stream", wire::name_of(server::to_protocol(event.stream)));
  if (channel_) channel_->delta({protocol::kToolProgress.name, fields_, "text", event.text, true});
}

void EventWriter::write(agent::ToolResult& event) {
  protocol::ToolResult out;
  out.tool_use_id = event.tool_use_id;
  out.name = event.name;
  out.status = server::to_protocol(event.status);
  out.is_error = event.is_error;
  for (ToolContent& content : event.content) out.content.push_back(to_protocol(std::move(content)));
  if (!event.details.is_null()) out.details = std::move(event.details);
  notify(protocol::kToolResult.name, members(out));
}

void EventWriter::write(const agent::ApprovalRequested& event) {
  fields_.clear();
  append_member(fields_, "toolUseId", event.tool_use_id);
  append_member(fields_, "name", event.name);
  append_input(fields_, event.input);
  append_member(fields_, "reason", event.reason);
  if (event.preview) append_member(fields_, "preview", *event.preview);
  wire::append_key(fields_, "options");
  wire::append(fields_, approval_options(event.may_be_granted));
  notify(protocol::kApprovalRequested.name, fields_);
}

void EventWriter::write(const agent::ApprovalResolved& event) {
  notify(protocol::kApprovalResolved.name,
         members(protocol::ApprovalResolved{event.tool_use_id, server::to_protocol(event.decision),
                                            server::to_protocol(event.by)}));
}

void EventWriter::write(agent::QuestionAsked& event) {
  protocol::QuestionAsked out{event.tool_use_id, {}};
  for (Question& question : event.questions) {
    protocol::UserQuestion& asked = out.questions.emplace_back();
    asked.question = std::move(question.question);
    asked.header = std::move(question.header);
    asked.multi_select = question.multi_select;
    for (QuestionOption& option : question.options) {
      asked.options.push_back(
          {std::move(option.label), std::move(option.description), std::move(option.preview)});
    }
  }
  notify(protocol::kQuestionAsked.name, members(out));
}

void EventWriter::write(const agent::QuestionResolved& event) {
  notify(protocol::kQuestionResolved.name,
         members(protocol::QuestionResolved{event.tool_use_id, server::to_protocol(event.by)}));
}

void EventWriter::write(const agent::ReplyDiscarded& event) {
  notify(protocol::kReplyDiscarded.name, members(protocol::ReplyDiscarded{event.turn}));
}

void EventWriter::write(const agent::Retrying& event) {
  notify(protocol::kRetrying.name, members(protocol::Retrying{event.attempt, event.max_attempts,
                                                              event.delay.count(), event.reason}));
}

void EventWriter::write(const agent::ModeChanged& event) {
  notify(protocol::kModeChanged.name,
         members(protocol::ModeChanged{server::to_protocol(event.mode)}));
}

void EventWriter::write(agent::TodosChanged& event) {
  protocol::TodosChanged out;
  for (Todo& todo : event.todos) {
    out.todos.push_back(
        {std::move(todo.content), server::to_protocol(todo.status), std::move(todo.active_form)});
  }
  notify(protocol::kTodo.name, members(out));
}

void EventWriter::write(const agent::Attachment& event) {
  protocol::Attachment out{server::to_protocol(event.kind), event.title, std::nullopt};
  if (!event.message_id.empty()) out.message_id = event.message_id;
  notify(protocol::kAttachment.name, members(out));
  if (!event.said.empty()) record_message(event.said, event.message_id);
}

void EventWriter::write(const agent::Compacting& event) {
  notify(protocol::kCompacting.name,
         members(protocol::Compacting{server::to_protocol(event.trigger), event.tokens}));
}

void EventWriter::write(const agent::Compacted& event) {
  protocol::Compacted out{server::to_protocol(event.trigger), event.tokens_before,
                          event.tokens_after, std::nullopt};
  if (!event.fault.empty()) out.fault = event.fault;
  notify(protocol::kCompacted.name, members(out));
}

void EventWriter::write(const agent::HookRan& event) {
  protocol::HookRan out = hook_ran(event.record);
  if (!event.tool_use_id.empty()) out.tool_use_id = event.tool_use_id;
  notify(protocol::kHook.name, members(out));
}

void EventWriter::write(agent::ToolSummary& event) {
  notify(protocol::kToolSummary.name,
         members(protocol::ToolSummary{std::move(event.tool_use_ids), std::move(event.summary)}));
}

void EventWriter::write(const agent::Notice& event) {
  notify(protocol::kNotice.name,
         members(protocol::Notice{server::to_protocol(event.level), event.code, event.message}));
}

void EventWriter::write(agent::RunEnded& event) {
  ending_ = event.ending;
  protocol::RunEnded out;
  out.ending = server::to_protocol(event.ending);
  out.outcome = server::to_protocol(agent::outcome_of(event.ending));
  if (!event.message.empty()) out.message = event.message;
  out.turns = event.turns;
  out.usage = server::to_protocol(event.usage);
  for (agent::UserMessage& message : event.not_delivered) {
    if (!out.not_delivered) out.not_delivered.emplace();
    out.not_delivered->push_back({message.id, contents(std::move(message.blocks))});
  }
  const std::string fields = members(out);
  if (record_.journal) {
    // Who has seen it may end the process, and finds the run ended when the session is loaded.
    record_.journal->keep_part(record_.run_id, protocol::kRunEnded.name, fields);
    agent::wait_until_kept(*record_.journal, {});
  }
  end_told_ = true;
  if (channel_) channel_->notify(protocol::kRunEnded.name, fields);
}

}  // namespace agentd::server
