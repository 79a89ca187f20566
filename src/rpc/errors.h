// The one table from our error codes to JSON-RPC numbers and to the names that stand in
// `error.data.code`. A client goes by the name; the numbers are in the range JSON-RPC leaves to
// servers, or the ones JSON-RPC and LSP fixed.
#pragma once

#include <string_view>

#include "base/result.h"

namespace agentd::rpc {

// Fixed by JSON-RPC 2.0.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
// Fixed by LSP.
inline constexpr int kServerNotInitialized = -32002;
inline constexpr int kRequestCancelled = -32800;

struct ErrorEntry {
  int number;
  std::string_view name;
};

constexpr ErrorEntry entry_of(Code code) {
  switch (code) {
    case Code::invalid_input:
      return {kInvalidParams, "invalidInput"};
    case Code::not_found:
      return {-32010, "notFound"};
    case Code::permission_denied:
      return {-32011, "permissionDenied"};
    case Code::too_large:
      return {-32012, "tooLarge"};
    case Code::conflict:
      return {-32013, "conflict"};
    case Code::unavailable:
      return {-32014, "unavailable"};
    case Code::timeout:
      return {-32015, "timeout"};
    case Code::io:
      return {-32016, "io"};
    case Code::session_busy:
      return {-32020, "sessionBusy"};
    case Code::too_late:
      return {-32021, "tooLate"};
    case Code::unknown_call:
      return {-32022, "unknownCall"};
    case Code::unknown_run:
      return {-32023, "unknownRun"};
    case Code::not_delivered:
      return {-32024, "notDelivered"};
    case Code::session_locked:
      return {-32025, "sessionLocked"};
    case Code::cancelled:
      return {kRequestCancelled, "cancelled"};
    case Code::internal:
      return {kInternalError, "internal"};
  }
  return {kInternalError, "internal"};
}

}  // namespace agentd::rpc
