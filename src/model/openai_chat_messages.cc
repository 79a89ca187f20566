#include "model/openai_chat_messages.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "model/wire_names.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

constexpr std::string_view kNoOutput = "(no output)";
constexpr std::string_view kImagesFollow = "(see the image in the next message)";

void append_text_part(std::string& parts, std::string_view text) {
  wire::append_comma(parts);
  parts += R"({"type":"text","text":)";
  wire::append_string(parts, text);
  parts += '}';
}

void append_image_part(std::string& parts, const ImageBlock& image) {
  wire::append_comma(parts);
  parts += R"({"type":"image_url","image_url":{"url":)";
  wire::append_string(parts, "data:" + image.media_type + ";base64," + image.data);
  parts += "}}";
}

// Texts on their own are one string: there are servers that know no other content.
class UserContent {
 public:
  void text(std::string_view text) {
    if (ascii::blank(text)) return;
    append_text_part(parts_, text);
    if (!plain_.empty()) plain_ += "\n\n";
    plain_ += text;
  }
  void image(const ImageBlock& image) {
    append_image_part(parts_, image);
    has_image_ = true;
  }
  void append_message_to(std::string& out) const {
    if (plain_.empty() && !has_image_) return;
    if (!out.empty()) out += ',';
    out += R"({"role":"user","content":)";
    if (has_image_) {
      out.append(parts_).append("]");
    } else {
      wire::append_string(out, plain_);
    }
    out += '}';
  }

 private:
  std::string parts_ = "[";
  std::string plain_;
  bool has_image_ = false;
};

// The API has no flag for failure, so the text says it.
std::string text_of(const ToolResultBlock& result) {
  std::string text;
  bool has_image = false;
  for (const ToolContent& part : result.content) {
    if (const auto* said = std::get_if<TextBlock>(&part)) {
      if (!text.empty()) text += '\n';
      text += said->text;
    } else {
      has_image = true;
    }
  }
  if (ascii::blank(text)) text = has_image ? kImagesFollow : kNoOutput;
  constexpr std::string_view kError = "Error";
  return result.is_error && !text.starts_with(kError) ? "Error: " + text : text;
}

void append_result(std::string& out, const ToolResultBlock& result) {
  if (!out.empty()) out += ',';
  out += R"({"role":"tool","tool_call_id":)";
  wire::append_string(out, result.tool_use_id);
  out += R"(,"content":)";
  wire::append_string(out, text_of(result));
  out += '}';
}

// Tool messages hold text only: images follow in a user's message, with a note of whose they are.
void add_images(UserContent& content, const ToolResultBlock& result) {
  bool noted = false;
  for (const ToolContent& part : result.content) {
    const auto* image = std::get_if<ImageBlock>(&part);
    if (image == nullptr) continue;
    if (!noted) content.text("The image that the call " + result.tool_use_id + " gave:");
    noted = true;
    content.image(*image);
  }
}

std::string encode_user(const Message& message) {
  std::string out;
  UserContent content;
  for (const Block& block : message.blocks) {
    if (const auto* result = std::get_if<ToolResultBlock>(&block)) {
      append_result(out, *result);
      add_images(content, *result);
    }
  }
  for (const Block& block : message.blocks) {
    if (const auto* text = std::get_if<TextBlock>(&block)) content.text(text->text);
    if (const auto* image = std::get_if<ImageBlock>(&block)) content.image(*image);
  }
  content.append_message_to(out);
  return out;
}

void append_call(std::string& calls, const ToolUseBlock& use) {
  wire::append_comma(calls);
  calls += R"({"id":)";
  wire::append_string(calls, use.id);
  calls += R"(,"type":"function","function":{"name":)";
  wire::append_string(calls, wire_tool_name(use.name));
  calls += R"(,"arguments":)";
  std::string arguments;
  wire::append_json(arguments, use.input);
  wire::append_string(calls, arguments);
  calls += "}}";
}

struct AssistantParts {
  std::string text;
  std::string reasoning;
  std::string calls = "[";
};

AssistantParts parts_of(const Message& message) {
  AssistantParts parts;
  for (const Block& block : message.blocks) {
    if (const auto* text = std::get_if<TextBlock>(&block);
        text != nullptr && !ascii::blank(text->text)) {
      if (!parts.text.empty()) parts.text += "\n\n";
      parts.text += text->text;
    } else if (const auto* thinking = std::get_if<ThinkingBlock>(&block)) {
      if (!thinking->signature) parts.reasoning += thinking->thinking;
    } else if (const auto* use = std::get_if<ToolUseBlock>(&block)) {
      append_call(parts.calls, *use);
    }
  }
  return parts;
}

std::string encode_assistant(const Message& message, ReasoningMember reasoning) {
  const AssistantParts parts = parts_of(message);
  const bool has_calls = parts.calls.size() > 1;
  if (parts.text.empty() && !has_calls) return {};
  std::string out = R"({"role":"assistant","content":)";
  if (parts.text.empty()) {
    out += "null";
  } else {
    wire::append_string(out, parts.text);
  }
  if (reasoning != ReasoningMember::none && !parts.reasoning.empty()) {
    wire::append_key(out, to_string(reasoning));
    wire::append_string(out, parts.reasoning);
  }
  if (has_calls) out.append(R"(,"tool_calls":)").append(parts.calls).append("]");
  out += '}';
  return out;
}

}  // namespace

std::string encode_chat_messages(const Message& message, ReasoningMember reasoning) {
  return message.role == Role::user ? encode_user(message) : encode_assistant(message, reasoning);
}

std::string encode_chat_system(const std::string& text) {
  std::string out = R"({"role":"system","content":)";
  wire::append_string(out, text);
  out += '}';
  return out;
}

bool has_unsigned_thinking(const Message& message) {
  return std::any_of(message.blocks.begin(), message.blocks.end(), [](const Block& block) {
    const auto* thinking = std::get_if<ThinkingBlock>(&block);
    return thinking != nullptr && !thinking->signature;
  });
}

bool is_real_user_message(const Message& message) {
  if (message.role != Role::user) return false;
  return std::none_of(message.blocks.begin(), message.blocks.end(), [](const Block& block) {
    return std::holds_alternative<ToolResultBlock>(block);
  });
}

}  // namespace agentd::model
