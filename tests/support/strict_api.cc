#include "support/strict_api.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "base/ascii.h"
#include "support/strict_rules.h"

namespace agentd::test {
namespace {

using Path = std::string;

const Json& required(const Json& object, const char* key, const Path& path) {
  if (!object.contains(key)) complain(path + key + ": Field required");
  return object.at(key);
}

const std::string& required_text(const Json& object, const char* key, const Path& path) {
  const Json& value = required(object, key, path);
  if (!value.is_string()) complain(path + key + ": Input should be a valid string");
  return value.get_ref<const std::string&>();
}

void only(const Json& object, std::initializer_list<std::string_view> fields, const Path& path) {
  for (const auto& [key, value] : object.items()) {
    if (!one_of(key, fields)) complain(path + key + ": Extra inputs are not permitted");
  }
}

class Judge {
 public:
  explicit Judge(const std::vector<std::pair<std::string, std::string>>& thinking)
      : issued_(thinking) {}

  void body(const Json& body) {
    if (!body.is_object()) complain("Input should be an object");
    only(body,
         {"model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream",
          "temperature", "top_p", "top_k", "stop_sequences", "metadata", "thinking",
          "output_config", "service_tier", "cache_control", "container", "context_management"},
         "");
    if (required_text(body, "model", "").empty())
      complain("model: String should have at least 1 character");
    const Json& max_tokens = required(body, "max_tokens", "");
    if (!max_tokens.is_number_integer() || max_tokens.get<std::int64_t>() < 1) {
      complain("max_tokens: Input should be greater than or equal to 1");
    }
    if (body.contains("stream") && !body.at("stream").is_boolean()) {
      complain("stream: Input should be a valid boolean");
    }
    if (body.contains("tools")) tools(body.at("tools"));
    if (body.contains("system")) system(body.at("system"));
    messages(required(body, "messages", ""));
    if (marks_ > 4) {
      complain("A maximum of 4 blocks with cache_control may be provided. Found " +
               std::to_string(marks_) + ".");
    }
  }

 private:
  void mark(const Json& block, const Path& path) {
    if (!block.contains("cache_control")) return;
    ++marks_;
    const Json& control = block.at("cache_control");
    if (!control.is_object() || control.value("type", "") != "ephemeral") {
      complain(path + "cache_control.type: Input should be 'ephemeral'");
    }
    only(control, {"type", "ttl"}, path + "cache_control.");
  }

  void tools(const Json& tools) {
    if (!tools.is_array()) complain("tools: Input should be a valid array");
    std::set<std::string> names;
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const Path path = "tools." + std::to_string(i) + ".custom.";
      const Json& tool = tools[i];
      only(tool,
           {"name", "description", "input_schema", "cache_control", "strict", "type",
            "eager_input_streaming"},
           path);
      const std::string& name = required_text(tool, "name", path);
      if (!matches_name(name, 64)) {
        complain(path + "name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
      }
      if (!names.insert(name).second) complain("tools: Tool names must be unique.");
      const Json& schema = required(tool, "input_schema", path);
      if (!schema.is_object() || schema.value("type", "") != "object") {
        complain(path + "input_schema.type: Input should be 'object'");
      }
      for (const char* key : {"anyOf", "oneOf", "allOf"}) {
        if (schema.contains(key)) {
          complain(path +
                   "input_schema: input_schema does not support oneOf, allOf, or anyOf at "
                   "the top level");
        }
      }
      mark(tool, path);
    }
  }

  void system(const Json& system) {
    if (system.is_string()) return;
    if (!system.is_array()) complain("system: Input should be a valid array");
    for (std::size_t i = 0; i < system.size(); ++i) {
      text_block(system[i], "system." + std::to_string(i) + ".");
    }
  }

  void text_block(const Json& block, const Path& path) {
    only(block, {"type", "text", "cache_control", "citations"}, path);
    const std::string& text = required_text(block, "text", path);
    if (text.empty() && block.contains("cache_control")) {
      complain(path + "cache_control: cache_control cannot be set for empty text blocks");
    }
    if (text.empty()) complain("messages: text content blocks must be non-empty");
    if (ascii::blank(text))
      complain("messages: text content blocks must contain non-whitespace text");
    mark(block, path);
  }

  void messages(const Json& messages) {
    if (!messages.is_array()) complain("messages: Input should be a valid array");
    if (messages.empty()) complain("messages: at least one message is required");
    std::string last_role;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Path path = "messages." + std::to_string(i) + ".";
      const Json& message = messages[i];
      only(message, {"role", "content"}, path);
      const std::string& role = required_text(message, "role", path);
      if (!one_of(role, {"user", "assistant"})) {
        complain(path + "role: Input should be 'user' or 'assistant'");
      }
      if (i == 0 && role != "user") complain("messages: first message must use the \"user\" role");
      if (role == last_role) {
        complain(
            "messages: roles must alternate between \"user\" and \"assistant\", but found "
            "multiple \"" +
            role + "\" roles in a row");
      }
      last_role = role;
      content(required(message, "content", path), role, i, path);
    }
    if (!open_calls_.empty()) missing_result(messages.size() - 1);
    if (last_role == "assistant") {
      complain(
          "This model does not support assistant message prefill. The conversation must end "
          "with a user message.");
    }
  }

  void content(const Json& content, const std::string& role, std::size_t number, const Path& path) {
    if (content.is_string()) {
      if (ascii::blank(content.get_ref<const std::string&>())) {
        complain(path + "content: text content blocks must be non-empty");
      }
      if (role == "user" && !open_calls_.empty()) missing_result(number - 1);
      return;
    }
    if (!content.is_array() || content.empty()) {
      complain(path + "content: all messages must have non-empty content");
    }
    bool other_came = false;
    std::set<std::string> answered;
    std::set<std::string> new_calls;
    for (std::size_t i = 0; i < content.size(); ++i) {
      const Path at = path + "content." + std::to_string(i) + ".";
      const Json& block = content[i];
      const std::string& type = required_text(block, "type", at);
      if (type == "tool_result") {
        if (role != "user") complain(at + "tool_result blocks may only be in user messages");
        if (other_came) complain(at + "tool_result blocks must come before all other content");
        tool_result(block, answered, at);
        continue;
      }
      other_came = true;
      if (type == "tool_use") {
        if (role != "assistant") complain(at + "tool_use blocks may only be in assistant messages");
        new_calls.insert(tool_use(block, at));
      } else {
        other_block(block, type, role, at);
      }
    }
    if (role == "assistant" && is_thinking(content.back())) {
      complain("messages." + std::to_string(number) +
               ": The final block in an assistant message cannot be `thinking`.");
    }
    if (role == "user") {
      for (const std::string& id : answered) open_calls_.erase(id);
      if (!open_calls_.empty()) missing_result(number - 1);
    } else {
      open_calls_ = std::move(new_calls);
    }
  }

  static bool is_thinking(const Json& block) {
    return one_of(block.at("type").get_ref<const std::string&>(),
                  {"thinking", "redacted_thinking"});
  }

  [[noreturn]] void missing_result(std::size_t message) {
    complain("messages." + std::to_string(message) +
             ": `tool_use` ids were found without `tool_result` blocks immediately after: " +
             *open_calls_.begin() +
             ". Each `tool_use` block must have a corresponding `tool_result` block in the next "
             "message.");
  }

  std::string tool_use(const Json& block, const Path& path) {
    only(block, {"type", "id", "name", "input", "cache_control", "caller"}, path);
    const std::string& id = required_text(block, "id", path);
    if (!matches_name(id, 1000)) {
      complain(path + "id: String should match pattern '^[a-zA-Z0-9_-]+$'");
    }
    if (!all_ids_.insert(id).second) complain("messages: `tool_use` ids must be unique");
    if (!matches_name(required_text(block, "name", path), 64)) {
      complain(path + "name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
    }
    if (!required(block, "input", path).is_object()) {
      complain(path + "input: Input should be a valid dictionary");
    }
    mark(block, path);
    return id;
  }

  void tool_result(const Json& block, std::set<std::string>& answered, const Path& path) {
    only(block, {"type", "tool_use_id", "content", "is_error", "cache_control"}, path);
    const std::string& id = required_text(block, "tool_use_id", path);
    if (!matches_name(id, 1000)) {
      complain(path + "tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'");
    }
    if (!open_calls_.contains(id)) {
      complain(path + "unexpected `tool_use_id` found in `tool_result` blocks: " + id +
               ". Each `tool_result` block must have a corresponding `tool_use` block in the "
               "previous message.");
    }
    if (!answered.insert(id).second) {
      complain(path +
               "each tool_use must have a single result. Found multiple `tool_result` "
               "blocks with id: " +
               id);
    }
    if (block.contains("is_error") && !block.at("is_error").is_boolean()) {
      complain(path + "is_error: Input should be a valid boolean");
    }
    if (block.contains("content") && block.at("content").is_array()) {
      const Json& parts = block.at("content");
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const Path at = path + "content." + std::to_string(i) + ".";
        other_block(parts[i], required_text(parts[i], "type", at), "user", at);
      }
    }
    mark(block, path);
  }

  void other_block(const Json& block, const std::string& type, const std::string& role,
                   const Path& path) {
    if (type == "text") {
      text_block(block, path);
    } else if (type == "image") {
      image(block, path);
    } else if (type == "thinking" || type == "redacted_thinking") {
      if (role != "assistant") complain(path + type + " blocks may only be in assistant messages");
      thinking(block, type, path);
    } else if (!one_of(type,
                       {"server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
                        "code_execution_tool_result", "compaction", "document", "search_result"})) {
      complain(path + "Input tag '" + type +
               "' found using 'type' does not match any of the expected tags");
    }
  }

  void image(const Json& block, const Path& path) {
    only(block, {"type", "source", "cache_control"}, path);
    const Json& source = required(block, "source", path);
    const std::string& media_type = required_text(source, "media_type", path + "source.");
    if (!one_of(media_type, {"image/png", "image/jpeg", "image/gif", "image/webp"})) {
      complain(path +
               "source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
               "'image/gif' or 'image/webp'");
    }
    if (required_text(source, "data", path + "source.").empty()) {
      complain(path + "source.base64.data: image cannot be empty");
    }
    mark(block, path);
  }

  void thinking(const Json& block, const std::string& type, const Path& path) {
    if (block.contains("cache_control")) {
      complain(path + "cache_control: Extra inputs are not permitted");
    }
    if (type == "redacted_thinking") {
      (void)required_text(block, "data", path);
      return;
    }
    only(block, {"type", "thinking", "signature"}, path);
    const std::string& text = required_text(block, "thinking", path);
    const std::string& signature = required_text(block, "signature", path);
    if (issued_.empty()) return;
    const auto found = std::find_if(issued_.begin(), issued_.end(),
                                    [&](const auto& one) { return one.second == signature; });
    if (found == issued_.end()) complain(path + "Invalid `signature` in `thinking` block");
    const auto order = found - issued_.begin();
    if (found->first != text || order < next_thinking_) {
      complain(path +
               "`thinking` or `redacted_thinking` blocks in the latest assistant message "
               "cannot be modified. These blocks must remain as they were in the original "
               "response.");
    }
    next_thinking_ = order + 1;
  }

  const std::vector<std::pair<std::string, std::string>>& issued_;
  std::ptrdiff_t next_thinking_ = 0;
  std::size_t marks_ = 0;
  std::set<std::string> all_ids_;
  std::set<std::string> open_calls_;  // of the assistant message just before
};

}  // namespace

void StrictApi::issued_thinking(std::string text, std::string signature) {
  thinking_.emplace_back(std::move(text), std::move(signature));
}

std::optional<std::string> StrictApi::refusal(std::string_view body) const {
  Json json;
  try {
    json = Json::parse(body);  // refuses bad UTF-8 and lone surrogates, as the API does
  } catch (const Json::exception& error) {
    return std::string("The request body is not valid JSON: ") + error.what();
  }
  try {
    Judge(thinking_).body(json);
  } catch (const Complaint& complaint) {
    return complaint.message;
  } catch (const Json::exception& error) {
    return std::string("The request body has a wrong shape: ") + error.what();
  }
  return std::nullopt;
}

std::optional<ServerReply> StrictApi::refuse(const SeenRequest& request) const {
  const auto error = [](int status, const char* type, const std::string& message) {
    const Json body = {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
    return ServerReply::json(status, body.dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  if (request.method != "POST" || !request.path.starts_with("/v1/messages")) {
    return error(404, "not_found_error", "Not Found");
  }
  const std::string* key = request.header("x-api-key");
  if (key == nullptr || key->empty()) {
    return error(401, "authentication_error", "x-api-key header is required");
  }
  if (request.header("anthropic-version") == nullptr) {
    return error(400, "invalid_request_error", "anthropic-version: header is required");
  }
  if (const auto message = refusal(request.body)) {
    return error(400, "invalid_request_error", *message);
  }
  return std::nullopt;
}

}  // namespace agentd::test
