// Exit codes of the process, one table for serving and for `agentd run` (also in --help and in the
// README).
#pragma once

#include "agent/decide.h"

namespace agentd::server::exit_code {

inline constexpr int kSuccess = 0;
inline constexpr int kError = 1;  // also: the client is gone, or exit without shutdown
inline constexpr int kUsage = 2;
inline constexpr int kStopped = 3;        // of `run`: somebody or a limit stopped it; serving
                                          // lines: not every run's outcome was success
inline constexpr int kInterrupted = 130;  // SIGINT
inline constexpr int kTerminated = 143;   // SIGTERM, SIGHUP

/// Of `agentd run`.
constexpr int of(agent::OutcomeKind outcome) {
  switch (outcome) {
    case agent::OutcomeKind::success:
      return kSuccess;
    case agent::OutcomeKind::stopped:
      return kStopped;
    case agent::OutcomeKind::error:
      return kError;
  }
  return kError;
}

}  // namespace agentd::server::exit_code
