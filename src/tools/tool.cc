#include "tools/tool.h"

#include <utility>

namespace agentd::tools {
namespace {

// The API refuses a tool_result with empty text.
std::string never_empty(std::string text) {
  return text.empty() ? std::string("(no output)") : std::move(text);
}

Outcome outcome(std::string text, Json details, bool is_error) {
  Outcome made;
  made.content.emplace_back(TextBlock{never_empty(std::move(text))});
  made.is_error = is_error;
  made.details = std::move(details);
  return made;
}

std::string first_of(const std::vector<std::string>& paths, const std::string& named) {
  return paths.empty() ? named : paths.front();
}

}  // namespace

std::string judged_read(const CallContext& context, const std::string& named) {
  return context.judged == nullptr ? named : first_of(context.judged->reads, named);
}

std::string judged_write(const CallContext& context, const std::string& named) {
  return context.judged == nullptr ? named : first_of(context.judged->writes, named);
}

Outcome text_outcome(std::string text, Json details) {
  return outcome(std::move(text), std::move(details), false);
}

Outcome error_outcome(std::string text, Json details) {
  return outcome(std::move(text), std::move(details), true);
}

}  // namespace agentd::tools
