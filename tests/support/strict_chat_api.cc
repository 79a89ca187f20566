#include "support/strict_chat_api.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "message/message.h"
#include "support/strict_rules.h"

namespace agentd::test {
namespace {

const Json& required(const Json& object, const char* key, const std::string& path) {
  if (!object.contains(key)) complain("Missing required parameter: '" + path + key + "'.");
  return object.at(key);
}

const std::string& required_text(const Json& object, const char* key, const std::string& path) {
  const Json& value = required(object, key, path);
  if (!value.is_string()) complain("Invalid type for '" + path + key + "': expected a string.");
  return value.get_ref<const std::string&>();
}

void only(const Json& object, std::initializer_list<std::string_view> fields,
          const std::string& path) {
  for (const auto& [key, value] : object.items()) {
    if (!one_of(key, fields)) complain("Unknown parameter: '" + path + key + "'.");
  }
}

class Judge {
 public:
  void body(const Json& body) {
    if (!body.is_object()) complain("We could not parse the JSON body of your request.");
    only(body,
         {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "max_tokens",
          "max_completion_tokens", "temperature", "parallel_tool_calls"},
         "");
    if (required_text(body, "model", "").empty()) complain("you must provide a model parameter");
    if (body.contains("max_tokens") && body.contains("max_completion_tokens")) {
      complain(
          "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
    }
    if (body.contains("stream_options") && !body.value("stream", false)) {
      complain("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
    }
    if (body.contains("tools")) tools(body.at("tools"));
    messages(required(body, "messages", ""));
  }

 private:
  static void tools(const Json& tools) {
    if (!tools.is_array() || tools.empty()) complain("Invalid 'tools': empty array.");
    std::set<std::string> names;
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const std::string path = "tools[" + std::to_string(i) + "].";
      if (required_text(tools[i], "type", path) != "function")
        complain("Invalid '" + path + "type'");
      const Json& function = required(tools[i], "function", path);
      only(function, {"name", "description", "parameters", "strict"}, path + "function.");
      const std::string& name = required_text(function, "name", path + "function.");
      if (!matches_name(name, 64)) complain("Invalid '" + path + "function.name'");
      if (!names.insert(name).second) complain("Tool names must be unique.");
      if (!required(function, "parameters", path).is_object()) complain("Invalid " + path);
    }
  }

  void messages(const Json& messages) {
    if (!messages.is_array() || messages.empty()) {
      complain("Invalid 'messages': empty array. Expected an array with minimum length 1.");
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::string path = "messages[" + std::to_string(i) + "].";
      const std::string& role = required_text(messages[i], "role", path);
      if (!open_calls_.empty() && role != "tool") unanswered();
      if (role == "tool") {
        tool(messages[i], path);
      } else if (role == "assistant") {
        assistant(messages[i], path);
      } else if (role == "user" || role == "system" || role == "developer") {
        only(messages[i], {"role", "content", "name"}, path);
        content(required(messages[i], "content", path), role == "user", path);
      } else {
        complain("Invalid value: '" + role +
                 "'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
                 "'developer'.");
      }
    }
    if (!open_calls_.empty()) unanswered();
  }

  [[noreturn]] void unanswered() {
    complain(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: " +
        *open_calls_.begin());
  }

  void tool(const Json& message, const std::string& path) {
    only(message, {"role", "content", "tool_call_id"}, path);
    const std::string& id = required_text(message, "tool_call_id", path);
    if (open_calls_.erase(id) == 0) {
      complain(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
          "with 'tool_calls'.");
    }
    content(required(message, "content", path), false, path);
  }

  void assistant(const Json& message, const std::string& path) {
    only(message, {"role", "content", "tool_calls", "reasoning_content", "reasoning", "refusal"},
         path);
    const bool has_calls = message.contains("tool_calls");
    const bool no_content = !message.contains("content") || message.at("content").is_null();
    if (no_content && !has_calls) {
      complain("Invalid value for 'content': expected a string, got null.");
    }
    if (!no_content) content(message.at("content"), false, path);
    if (has_calls) calls(message.at("tool_calls"), path + "tool_calls");
  }

  void calls(const Json& calls, const std::string& path) {
    if (!calls.is_array() || calls.empty()) complain("Invalid '" + path + "': empty array.");
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string at = path + "[" + std::to_string(i) + "].";
      const std::string& id = required_text(calls[i], "id", at);
      if (id.empty()) complain("Invalid '" + at + "id': empty string.");
      if (!open_calls_.insert(id).second) complain("Duplicate value for 'tool_call_id' of " + id);
      if (required_text(calls[i], "type", at) != "function") complain("Invalid '" + at + "type'");
      const Json& function = required(calls[i], "function", at);
      if (!matches_name(required_text(function, "name", at), 64)) {
        complain("Invalid '" + at +
                 "function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.");
      }
      const std::string& arguments = required_text(function, "arguments", at);
      if (!Json::parse(arguments, nullptr, false).is_object()) {
        complain("Invalid '" + at + "function.arguments': not a JSON object.");
      }
    }
  }

  static void content(const Json& content, bool images, const std::string& path) {
    if (content.is_string()) {
      if (content.get_ref<const std::string&>().empty()) complain("Empty '" + path + "content'.");
      return;
    }
    if (!content.is_array() || content.empty()) {
      complain("Invalid type for '" + path + "content': expected a string or array of parts.");
    }
    for (const Json& part : content) {
      const std::string& type = required_text(part, "type", path);
      if (type == "text") {
        if (required_text(part, "text", path).empty()) complain("Empty text part in " + path);
      } else if (type == "image_url" && images) {
        const Json& image = required(part, "image_url", path);
        if (!required_text(image, "url", path).starts_with("data:image/")) {
          complain("Invalid image in " + path);
        }
      } else {
        complain("Invalid '" + path + "'. Content blocks of type " + type + " are not expected.");
      }
    }
  }

  std::set<std::string> open_calls_;  // of the assistant message before
};

}  // namespace

std::optional<std::string> StrictChatApi::refusal(std::string_view body) const {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) return "We could not parse the JSON body of your request.";
  try {
    Judge().body(json);
  } catch (const Complaint& complaint) {
    return complaint.message;
  }
  return std::nullopt;
}

std::optional<ServerReply> StrictChatApi::refuse(const SeenRequest& request) const {
  const auto error = [](int status, const std::string& message) {
    const Json body = {{"error",
                        {{"message", message},
                         {"type", "invalid_request_error"},
                         {"param", nullptr},
                         {"code", nullptr}}}};
    return ServerReply::json(status, body.dump());
  };
  const std::string* type = request.header("content-type");
  if (request.method != "POST") return error(405, "Not allowed");
  if (!request.path.ends_with("/chat/completions")) return error(404, "Invalid URL");
  if (type == nullptr || *type != "application/json") return error(400, "not JSON");
  const auto said = refusal(request.body);
  if (!said) return std::nullopt;
  return error(400, *said);
}

}  // namespace agentd::test
