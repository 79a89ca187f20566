// A transcript: a conversation with agentd as a readable file, `tests/transcripts/NAME.rpc`.
//
//   # prose, anywhere; the first line is the title
//   framing: lines                 headers, before the first message; see tests/README.md
//   file notes.txt:
//     content, indented by two spaces
//   > {"jsonrpc": "2.0", ...}      sent; may go on over lines that begin with two spaces
//   < {"jsonrpc": "2.0", ...}      expected next: a pattern (pattern.h)
//   < ...                          any notifications up to the next expected message
//   ! close                        a step of the runner's: close, signal NAME, exit CODE,
//                                  raw TEXT (bytes sent as they stand, \r and \n escaped)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/agent_process.h"
#include "transcripts/pattern.h"

namespace agentd::transcripts {

enum class StepKind { send, send_raw, expect, skip, close_input, send_signal, expect_exit };

struct Step {
  StepKind kind = StepKind::skip;
  int line = 0;      // in the file, counted from 1
  Json message;      // send, expect
  std::string text;  // send_raw: the bytes; send_signal: the name
  int code = 0;      // expect_exit
};

struct Transcript {
  std::string title;
  testing::Framing framing = testing::Framing::content_length;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> files;  // path in the workspace, content
  std::string script;                                      // for `--model script:`; empty: none
  std::vector<Step> steps;
};

/// A file that is no transcript throws, naming its line.
Transcript parse_transcript(const std::string& text);

}  // namespace agentd::transcripts
