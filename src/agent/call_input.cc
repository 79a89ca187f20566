#include "agent/call_input.h"

#include "agent/texts.h"
#include "wire/parse.h"

namespace agentd::agent {

Result<Json> parse_call_input(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json::object();
  auto parsed = wire::parse(text);
  if (!parsed) {
    return make_error(Code::invalid_input, texts::invalid_json(parsed.error().message));
  }
  if (!parsed->is_object()) {
    return make_error(Code::invalid_input,
                      texts::invalid_json(std::string("it is a JSON ") + parsed->type_name()));
  }
  return parsed;
}

}  // namespace agentd::agent
