#include "server/doctor/finding.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"
#include "server/printable.h"
#include "wire/text.h"

namespace agentd::server::doctor {
namespace {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::warn:
      return "warn";
    case Level::fail:
      return "fail";
  }
  return "";
}

// On one line, and harmless to a terminal.
std::string shown(const std::string& text) {
  std::string out = printable(utf8::repaired(text));
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

void append_padded(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  out.append(width - std::min(width, text.size()) + 2, ' ');
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  wire::append_key(out, key);
  wire::append_string(out, text);
}

}  // namespace

bool any_failed(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.level == Level::fail; });
}

std::string as_lines(const Findings& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.subject.size());
  std::string out;
  for (const Finding& finding : findings) {
    append_padded(out, name_of(finding.level), 4);
    append_padded(out, shown(finding.subject), width);
    out += shown(finding.what);
    if (!finding.fix.empty()) out += "  -> " + shown(finding.fix);
    out += '\n';
  }
  return out;
}

std::string as_json(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    std::string line = "{";
    append_member(line, "level", name_of(finding.level));
    append_member(line, "subject", finding.subject);
    append_member(line, "what", finding.what);
    if (!finding.fix.empty()) append_member(line, "fix", finding.fix);
    out += line + "}\n";
  }
  return out;
}

}  // namespace agentd::server::doctor
