#include "model/anthropic_blocks.h"

#include <utility>

#include "base/ascii.h"
#include "model/wire_names.h"
#include "wire/text.h"

namespace agentd::model {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

void append_text(std::string& out, const std::string& text) {
  out += R"({"type":"text","text":)";
  wire::append_string(out, text);
  out += '}';
}

void append_image(std::string& out, const ImageBlock& image) {
  out += R"({"type":"image","source":{"type":"base64","media_type":)";
  wire::append_string(out, image.media_type);
  out += R"(,"data":)";
  wire::append_string(out, image.data);
  out += "}}";
}

void append_tool_result(std::string& out, const ToolResultBlock& result) {
  out += R"({"type":"tool_result","tool_use_id":)";
  wire::append_string(out, wire_tool_use_id(result.tool_use_id));
  std::string content = "[";
  for (const ToolContent& part : result.content) {
    if (const auto* text = std::get_if<TextBlock>(&part)) {
      if (ascii::blank(text->text)) continue;
      wire::append_comma(content);
      append_text(content, text->text);
    } else {
      wire::append_comma(content);
      append_image(content, std::get<ImageBlock>(part));
    }
  }
  if (content.size() > 1) out.append(R"(,"content":)").append(content).append("]");
  if (result.is_error) out += R"(,"is_error":true)";
  out += '}';
}

// Appends the block after a comma if one is due; true if it was appended and may carry a mark.
bool append_block(std::string& out, const Block& block) {
  return std::visit(Overloaded{[&](const TextBlock& text) {
                                 if (ascii::blank(text.text)) return false;
                                 wire::append_comma(out);
                                 append_text(out, text.text);
                                 return true;
                               },
                               [&](const ThinkingBlock& thinking) {
                                 // The API takes back only what it signed.
                                 if (!thinking.signature) return false;
                                 wire::append_comma(out);
                                 out += R"({"type":"thinking","thinking":)";
                                 wire::append_string(out, thinking.thinking);
                                 out += R"(,"signature":)";
                                 wire::append_string(out, *thinking.signature);
                                 out += '}';
                                 return false;
                               },
                               [&](const RedactedThinkingBlock& redacted) {
                                 wire::append_comma(out);
                                 out += R"({"type":"redacted_thinking","data":)";
                                 wire::append_string(out, redacted.data);
                                 out += '}';
                                 return false;
                               },
                               [&](const ToolUseBlock& use) {
                                 wire::append_comma(out);
                                 out += R"({"type":"tool_use","id":)";
                                 wire::append_string(out, wire_tool_use_id(use.id));
                                 out += R"(,"name":)";
                                 wire::append_string(out, wire_tool_name(use.name));
                                 out += R"(,"input":)";
                                 wire::append_json(out, use.input);
                                 out += '}';
                                 return true;
                               },
                               [&](const ImageBlock& image) {
                                 wire::append_comma(out);
                                 append_image(out, image);
                                 return true;
                               },
                               [&](const ToolResultBlock& result) {
                                 wire::append_comma(out);
                                 append_tool_result(out, result);
                                 return true;
                               },
                               [&](const OpaqueBlock& opaque) {
                                 wire::append_comma(out);
                                 out += opaque.json;
                                 return false;  // whether it may carry a mark is not known either
                               }},
                    block);
}

}  // namespace

MessageText encode_message(const Message& message) {
  std::string out = R"({"role":")";
  out += message.role == Role::user ? "user" : "assistant";
  out += R"(","content":[)";
  std::size_t mark_at = std::string::npos;
  for (const Block& block : message.blocks) {
    if (append_block(out, block)) mark_at = out.size() - 1;  // before the closing brace
  }
  MessageText text;
  if (out.back() == '[') return text;
  out += "]}";
  text.markable = mark_at != std::string::npos;
  if (text.markable) text.back = out.substr(mark_at);
  text.front = std::move(out);
  if (text.markable) text.front.resize(mark_at);
  return text;
}

}  // namespace agentd::model
