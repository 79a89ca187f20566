// Errors of the protocol: number, the name in `error.data.code`, and when. The numbers are those
// that rpc/errors.h sends (a test holds the two together: neither room may include the other).
#pragma once

#include <array>
#include <string_view>

namespace agentd::protocol {

struct ErrorDoc {
  int number;
  std::string_view code;  // empty: an error of the envelope, its number says all
  std::string_view when;
};

inline constexpr std::array kErrors{
    ErrorDoc{-32700, "", "The message is not JSON. The reply's id is null; the server goes on."},
    ErrorDoc{-32600, "",
             "Not a JSON-RPC 2.0 request (a batch, a wrong version, a bad id), more than 64 MiB, "
             "a second initialize, or anything but exit after shutdown."},
    ErrorDoc{-32601, "", "No such method."},
    ErrorDoc{-32602, "invalidInput",
             "A value breaks its declared shape; `data.path` says where: `params.prompt[1].type`."},
    ErrorDoc{-32603, "internal", "A fault of agentd."},
    ErrorDoc{-32002, "", "Any other request before initialize."},
    ErrorDoc{-32800, "cancelled", "The request was cancelled with `$/cancelRequest`."},
    ErrorDoc{-32010, "notFound", "A file, session or model does not exist."},
    ErrorDoc{-32011, "permissionDenied", "The operating system or a rule refused."},
    ErrorDoc{-32012, "tooLarge", "A stated limit was passed."},
    ErrorDoc{-32013, "conflict", "A name is taken, or two uses exclude each other."},
    ErrorDoc{-32014, "unavailable", "A needed part is missing: no key, no such program."},
    ErrorDoc{-32015, "timeout", "A deadline passed."},
    ErrorDoc{-32016, "io", "The operating system failed in another way."},
    ErrorDoc{-32020, "sessionBusy", "A run is going on in this session; `data.runId` names it."},
    ErrorDoc{-32021, "tooLate", "The question was answered or withdrawn before."},
    ErrorDoc{-32022, "unknownCall", "The run has no such call."},
    ErrorDoc{-32023, "unknownRun", "There is no such run."},
    ErrorDoc{-32024, "notDelivered",
             "The run ended before the message could be told to its model."},
    ErrorDoc{-32025, "sessionLocked",
             "Another agentd process is writing this session; the message names it. It can be "
             "loaded and forked meanwhile."},
};

}  // namespace agentd::protocol
