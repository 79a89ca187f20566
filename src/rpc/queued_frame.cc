#include "rpc/queued_frame.h"

#include "base/utf8.h"
#include "wire/text.h"

namespace agentd::rpc {
namespace {

void keep_end(QueuedFrame& frame, std::size_t bytes) {
  const std::size_t kept = utf8::tail(frame.tail, bytes).size();
  frame.skipped += frame.tail.size() - kept;
  frame.tail.erase(0, frame.tail.size() - kept);
}

}  // namespace

void begin_notification(std::string& out, std::string_view params, std::uint64_t seq,
                        std::string_view method, std::string_view fields) {
  out += R"({"jsonrpc":"2.0","method":")";
  out += method;
  out += R"(","params":{)";
  out += params;
  wire::append_int(out, static_cast<std::int64_t>(seq));
  if (!fields.empty()) {
    out += ',';
    out += fields;
  }
}

QueuedFrame open_delta(std::string_view params, std::uint64_t seq, const Delta& delta) {
  QueuedFrame frame;
  frame.delta = true;
  frame.key.reserve(delta.method.size() + delta.fields.size());
  frame.key.append(delta.method).append(delta.fields);
  frame.body.reserve(128 + params.size() + frame.key.size() + delta.text.size());
  begin_notification(frame.body, params, seq, delta.method, delta.fields);
  wire::append_key(frame.body, delta.text_field);
  frame.body += '"';
  return frame;
}

bool joins(const QueuedFrame& frame, const Delta& delta) {
  const std::string_view key = frame.key;
  return key.size() == delta.method.size() + delta.fields.size() && key.ends_with(delta.fields) &&
         key.starts_with(delta.method);
}

void add_text(QueuedFrame& frame, const Delta& delta, std::size_t lossy_limit) {
  if (!delta.lossy) return wire::append_escaped(frame.body, delta.text);
  const std::size_t half = lossy_limit / 2;
  std::string_view head;
  if (frame.tail.empty() && frame.skipped == 0 && frame.text_bytes < half) {
    head = utf8::head(delta.text, half - frame.text_bytes);
  }
  wire::append_escaped(frame.body, head);
  frame.text_bytes += head.size();
  frame.tail.append(delta.text.substr(head.size()));
  // Cut back only when twice as long as it may be, so that each byte is moved once or so.
  if (frame.tail.size() > 2 * half) keep_end(frame, half);
}

void close_delta(QueuedFrame& frame, std::size_t lossy_limit) {
  if (frame.tail.size() > lossy_limit / 2) keep_end(frame, lossy_limit / 2);
  if (frame.skipped > 0) {
    wire::append_escaped(frame.body,
                         "\n[... " + std::to_string(frame.skipped) + " bytes not shown ...]\n");
  }
  wire::append_escaped(frame.body, frame.tail);
  frame.tail.clear();
  frame.body += "\"}}";
}

}  // namespace agentd::rpc
