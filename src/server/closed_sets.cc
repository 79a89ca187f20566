#include "server/closed_sets.h"

namespace agentd::server {

// The names are the same on both sides; only the types differ.

protocol::Transition to_protocol(agent::Transition value) {
  switch (value) {
    case agent::Transition::next_turn:
      return protocol::Transition::next_turn;
    case agent::Transition::output_limit_raised:
      return protocol::Transition::output_limit_raised;
    case agent::Transition::output_resumed:
      return protocol::Transition::output_resumed;
    case agent::Transition::reply_cut:
      return protocol::Transition::reply_cut;
    case agent::Transition::turn_paused:
      return protocol::Transition::turn_paused;
    case agent::Transition::nudged:
      return protocol::Transition::nudged;
    case agent::Transition::compacted:
      return protocol::Transition::compacted;
    case agent::Transition::request_repaired:
      return protocol::Transition::request_repaired;
    case agent::Transition::fallback_model:
      return protocol::Transition::fallback_model;
    case agent::Transition::message_queued:
      return protocol::Transition::message_queued;
    case agent::Transition::stop_hook_blocked:
      return protocol::Transition::stop_hook_blocked;
    case agent::Transition::budget_continued:
      return protocol::Transition::budget_continued;
  }
  return {};
}

protocol::Ending to_protocol(agent::Ending value) {
  switch (value) {
    case agent::Ending::completed:
      return protocol::Ending::completed;
    case agent::Ending::aborted_streaming:
      return protocol::Ending::aborted_streaming;
    case agent::Ending::aborted_tools:
      return protocol::Ending::aborted_tools;
    case agent::Ending::blocked:
      return protocol::Ending::blocked;
    case agent::Ending::hook_stopped:
      return protocol::Ending::hook_stopped;
    case agent::Ending::stop_hook_prevented:
      return protocol::Ending::stop_hook_prevented;
    case agent::Ending::repeated_calls:
      return protocol::Ending::repeated_calls;
    case agent::Ending::max_turns:
      return protocol::Ending::max_turns;
    case agent::Ending::max_budget:
      return protocol::Ending::max_budget;
    case agent::Ending::output_limit:
      return protocol::Ending::output_limit;
    case agent::Ending::prompt_too_long:
      return protocol::Ending::prompt_too_long;
    case agent::Ending::blocking_limit:
      return protocol::Ending::blocking_limit;
    case agent::Ending::image_error:
      return protocol::Ending::image_error;
    case agent::Ending::refused:
      return protocol::Ending::refused;
    case agent::Ending::model_error:
      return protocol::Ending::model_error;
    case agent::Ending::internal_error:
      return protocol::Ending::internal_error;
  }
  return {};
}

protocol::Outcome to_protocol(agent::OutcomeKind value) {
  switch (value) {
    case agent::OutcomeKind::success:
      return protocol::Outcome::success;
    case agent::OutcomeKind::stopped:
      return protocol::Outcome::stopped;
    case agent::OutcomeKind::error:
      return protocol::Outcome::error;
  }
  return {};
}

protocol::ToolUseState to_protocol(agent::ToolUseState value) {
  switch (value) {
    case agent::ToolUseState::started:
      return protocol::ToolUseState::started;
    case agent::ToolUseState::input_delta:
      return protocol::ToolUseState::input_delta;
    case agent::ToolUseState::ready:
      return protocol::ToolUseState::ready;
    case agent::ToolUseState::running:
      return protocol::ToolUseState::running;
  }
  return {};
}

protocol::ToolStatus to_protocol(agent::ToolStatus value) {
  switch (value) {
    case agent::ToolStatus::completed:
      return protocol::ToolStatus::completed;
    case agent::ToolStatus::failed:
      return protocol::ToolStatus::failed;
    case agent::ToolStatus::denied:
      return protocol::ToolStatus::denied;
    case agent::ToolStatus::cancelled:
      return protocol::ToolStatus::cancelled;
  }
  return {};
}

protocol::ApprovalDecision to_protocol(agent::ApprovalDecision value) {
  switch (value) {
    case agent::ApprovalDecision::allow:
      return protocol::ApprovalDecision::allow;
    case agent::ApprovalDecision::deny:
      return protocol::ApprovalDecision::deny;
  }
  return {};
}

protocol::ApprovalBy to_protocol(agent::ApprovalBy value) {
  switch (value) {
    case agent::ApprovalBy::user:
      return protocol::ApprovalBy::user;
    case agent::ApprovalBy::grant:
      return protocol::ApprovalBy::grant;
    case agent::ApprovalBy::mode:
      return protocol::ApprovalBy::mode;
    case agent::ApprovalBy::no_approver:
      return protocol::ApprovalBy::no_approver;
    case agent::ApprovalBy::cancelled:
      return protocol::ApprovalBy::cancelled;
  }
  return {};
}

protocol::QuestionBy to_protocol(agent::QuestionBy value) {
  switch (value) {
    case agent::QuestionBy::user:
      return protocol::QuestionBy::user;
    case agent::QuestionBy::no_approver:
      return protocol::QuestionBy::no_approver;
    case agent::QuestionBy::cancelled:
      return protocol::QuestionBy::cancelled;
  }
  return {};
}

protocol::AttachmentKind to_protocol(agent::AttachmentKind value) {
  switch (value) {
    case agent::AttachmentKind::message:
      return protocol::AttachmentKind::message;
    case agent::AttachmentKind::memory:
      return protocol::AttachmentKind::memory;
    case agent::AttachmentKind::changed_file:
      return protocol::AttachmentKind::changed_file;
    case agent::AttachmentKind::recent_file:
      return protocol::AttachmentKind::recent_file;
    case agent::AttachmentKind::todo:
      return protocol::AttachmentKind::todo;
  }
  return {};
}

protocol::TodoStatus to_protocol(TodoStatus value) {
  switch (value) {
    case TodoStatus::pending:
      return protocol::TodoStatus::pending;
    case TodoStatus::in_progress:
      return protocol::TodoStatus::in_progress;
    case TodoStatus::completed:
      return protocol::TodoStatus::completed;
  }
  return {};
}

protocol::HookOutcome to_protocol(hooks::HookOutcome value) {
  switch (value) {
    case hooks::HookOutcome::success:
      return protocol::HookOutcome::success;
    case hooks::HookOutcome::blocked:
      return protocol::HookOutcome::blocked;
    case hooks::HookOutcome::broken:
      return protocol::HookOutcome::broken;
    case hooks::HookOutcome::cancelled:
      return protocol::HookOutcome::cancelled;
  }
  return {};
}

protocol::CompactionTrigger to_protocol(agent::CompactionTrigger value) {
  switch (value) {
    case agent::CompactionTrigger::automatic:
      return protocol::CompactionTrigger::automatic;
    case agent::CompactionTrigger::window_exceeded:
      return protocol::CompactionTrigger::window_exceeded;
    case agent::CompactionTrigger::manual:
      return protocol::CompactionTrigger::manual;
  }
  return {};
}

protocol::NoticeLevel to_protocol(agent::NoticeLevel value) {
  switch (value) {
    case agent::NoticeLevel::info:
      return protocol::NoticeLevel::info;
    case agent::NoticeLevel::warning:
      return protocol::NoticeLevel::warning;
    case agent::NoticeLevel::error:
      return protocol::NoticeLevel::error;
  }
  return {};
}

protocol::OutputStream to_protocol(platform::OutputStream value) {
  switch (value) {
    case platform::OutputStream::standard_output:
      return protocol::OutputStream::standard_output;
    case platform::OutputStream::standard_error:
      return protocol::OutputStream::standard_error;
  }
  return {};
}

protocol::PermissionMode to_protocol(permission::Mode value) {
  switch (value) {
    case permission::Mode::ask:
      return protocol::PermissionMode::ask;
    case permission::Mode::accept_edits:
      return protocol::PermissionMode::accept_edits;
    case permission::Mode::plan:
      return protocol::PermissionMode::plan;
    case permission::Mode::bypass:
      return protocol::PermissionMode::bypass;
  }
  return {};
}

permission::Mode from_protocol(protocol::PermissionMode value) {
  switch (value) {
    case protocol::PermissionMode::ask:
      return permission::Mode::ask;
    case protocol::PermissionMode::accept_edits:
      return permission::Mode::accept_edits;
    case protocol::PermissionMode::plan:
      return permission::Mode::plan;
    case protocol::PermissionMode::bypass:
      return permission::Mode::bypass;
  }
  return {};
}

ToolChoiceKind from_protocol(protocol::ToolChoiceType type) {
  switch (type) {
    case protocol::ToolChoiceType::automatic:
      return ToolChoiceKind::automatic;
    case protocol::ToolChoiceType::any:
      return ToolChoiceKind::any;
    case protocol::ToolChoiceType::none:
      return ToolChoiceKind::none;
    case protocol::ToolChoiceType::tool:
      return ToolChoiceKind::tool;
  }
  return ToolChoiceKind::automatic;
}

agent::Delivery from_protocol(protocol::Delivery value) {
  switch (value) {
    case protocol::Delivery::steer:
      return agent::Delivery::steer;
    case protocol::Delivery::queue:
      return agent::Delivery::queue;
  }
  return {};
}

agent::ToolStart from_protocol(protocol::ToolStart value) {
  switch (value) {
    case protocol::ToolStart::streaming:
      return agent::ToolStart::streaming;
    case protocol::ToolStart::after_reply:
      return agent::ToolStart::after_reply;
  }
  return {};
}

agent::ApprovalDecision from_protocol(protocol::ApprovalDecision value) {
  switch (value) {
    case protocol::ApprovalDecision::allow:
      return agent::ApprovalDecision::allow;
    case protocol::ApprovalDecision::deny:
      return agent::ApprovalDecision::deny;
  }
  return {};
}

agent::ApprovalScope from_protocol(protocol::ApprovalScope value) {
  switch (value) {
    case protocol::ApprovalScope::once:
      return agent::ApprovalScope::once;
    case protocol::ApprovalScope::session:
      return agent::ApprovalScope::session;
  }
  return {};
}

permission::Mode from_config(config::PermissionMode value) {
  switch (value) {
    case config::PermissionMode::ask:
      return permission::Mode::ask;
    case config::PermissionMode::accept_edits:
      return permission::Mode::accept_edits;
    case config::PermissionMode::plan:
      return permission::Mode::plan;
    case config::PermissionMode::bypass:
      return permission::Mode::bypass;
  }
  return {};
}

agent::ToolStart from_config(config::ToolStart value) {
  switch (value) {
    case config::ToolStart::streaming:
      return agent::ToolStart::streaming;
    case config::ToolStart::after_reply:
      return agent::ToolStart::after_reply;
  }
  return {};
}

}  // namespace agentd::server
