// A stream case of tests/streams/cases: a response of a model endpoint as it stands in a field
// report, and what an engine should make of it. Format: tests/streams/README.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "message/message.h"
#include "support/assembled_reply.h"

namespace agentd::test {

struct StreamCase {
  std::string name;
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // content-type included
  std::string body;
  std::string end;                // eof, reset or stall
  std::vector<std::size_t> cuts;  // where the case wants the body split
  bool think_tags = false;        // the endpoint is one whose text holds reasoning in tags
  Json expect;
};

/// All cases in `folder` whose name begins with `prefix`, sorted by name.
std::vector<StreamCase> load_stream_cases(const std::string& folder, const std::string& prefix);

/// What in `reply` is not as the case expects, one sentence each.
std::vector<std::string> differences(const StreamCase& stream_case, const AssembledReply& reply);

std::string read_file(const std::string& path);

}  // namespace agentd::test
