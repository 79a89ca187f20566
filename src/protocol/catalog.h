// Requests about what there is: tool/list, model/list.
#pragma once

#include "protocol/content.h"

namespace agentd::protocol {

struct ToolInfo {
  static constexpr std::string_view kName = "ToolInfo";
  std::string name;
  std::string description;
  Json input_schema;

  static void fields(auto& field) {
    field("name", &ToolInfo::name, "The tool's name, as the model uses it.");
    field("description", &ToolInfo::description, "What the model is told of it, Markdown.");
    field("inputSchema", &ToolInfo::input_schema, "JSON Schema of its input.", {.object = true});
  }
};

struct ToolListResult {
  static constexpr std::string_view kName = "ToolListResult";
  std::vector<ToolInfo> tools;

  static void fields(auto& field) {
    field("tools", &ToolListResult::tools, "In the order the model is told of them.");
  }
};

struct ModelInfo {
  static constexpr std::string_view kName = "ModelInfo";
  std::string name;
  std::string provider;
  std::string display_name;
  std::int64_t context_window = 0;
  std::int64_t max_output_tokens = 0;
  bool available = false;

  static void fields(auto& field) {
    field("name", &ModelInfo::name, "What agent/start takes as `model`.");
    field("provider", &ModelInfo::provider, "Who serves it.");
    field("displayName", &ModelInfo::display_name, "Its name for people.");
    field("contextWindow", &ModelInfo::context_window, "Tokens it can take in all.",
          {.minimum = 0});
    field("maxOutputTokens", &ModelInfo::max_output_tokens,
          "Tokens it can write in one reply; 0: not known.", {.minimum = 0});
    field("available", &ModelInfo::available,
          "Whether it can be used now: there is a key, or none is needed.");
  }
};

struct ModelListResult {
  static constexpr std::string_view kName = "ModelListResult";
  std::vector<ModelInfo> models;
  std::string default_model;

  static void fields(auto& field) {
    field("models", &ModelListResult::models,
          "The models known; a provider may serve more, by the same kind of name.");
    field("defaultModel", &ModelListResult::default_model, "What runs when nobody names a model.");
  }
};

}  // namespace agentd::protocol
