// The engine's closed sets as the protocol names them, and back. One switch each, so that a new
// enumerator does not compile until it has its place here. Pure.
#pragma once

#include "agent/event.h"
#include "agent/run.h"
#include "config/settings.h"
#include "permission/permission.h"
#include "protocol/modes.h"

namespace agentd::server {

protocol::Transition to_protocol(agent::Transition transition);
protocol::Ending to_protocol(agent::Ending ending);
protocol::Outcome to_protocol(agent::OutcomeKind outcome);
protocol::ToolUseState to_protocol(agent::ToolUseState state);
protocol::ToolStatus to_protocol(agent::ToolStatus status);
protocol::ApprovalDecision to_protocol(agent::ApprovalDecision decision);
protocol::ApprovalBy to_protocol(agent::ApprovalBy by);
protocol::QuestionBy to_protocol(agent::QuestionBy by);
protocol::AttachmentKind to_protocol(agent::AttachmentKind kind);
protocol::TodoStatus to_protocol(TodoStatus status);
protocol::HookOutcome to_protocol(hooks::HookOutcome outcome);
protocol::CompactionTrigger to_protocol(agent::CompactionTrigger trigger);
protocol::NoticeLevel to_protocol(agent::NoticeLevel level);
protocol::OutputStream to_protocol(platform::OutputStream stream);

protocol::PermissionMode to_protocol(permission::Mode mode);

permission::Mode from_protocol(protocol::PermissionMode mode);
ToolChoiceKind from_protocol(protocol::ToolChoiceType type);
agent::Delivery from_protocol(protocol::Delivery delivery);
agent::ToolStart from_protocol(protocol::ToolStart start);
agent::ApprovalDecision from_protocol(protocol::ApprovalDecision decision);
agent::ApprovalScope from_protocol(protocol::ApprovalScope scope);

permission::Mode from_config(config::PermissionMode mode);
agent::ToolStart from_config(config::ToolStart start);

}  // namespace agentd::server
