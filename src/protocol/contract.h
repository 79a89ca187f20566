// The published contract, written from the table in methods.h: protocol/schema.json, methods.json
// and README.md. Pure text; protocol/generate.cc puts it into files and a test holds those fresh.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentd::protocol {

/// One tests/transcripts/NAME.rpc.
struct Transcript {
  std::string name;
  std::string text;
};

/// A message as a transcript shows it, and the answer to it.
struct Example {
  std::string transcript;
  std::string message;  // one line of JSON
  std::string result;   // the reply's line; empty: none, or it was not told apart
};

/// The first line, sent or expected, with that method; of a request also the first reply after it
/// with its id and a result.
std::optional<Example> find_example(const std::vector<Transcript>& transcripts,
                                    std::string_view method);

/// JSON Schema, draft 2020-12: `$defs` has one entry for the params and results of each method and
/// for every type they use.
std::string schema_json();

/// Every method, both directions, with references into schema.json.
std::string methods_json();

/// For people: how to speak the protocol (guide.md), errors, every message with its members.
std::string readme(const std::vector<Transcript>& transcripts);

}  // namespace agentd::protocol
