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

struct PricesInfo {
  static constexpr std::string_view kName = "Prices";
  static constexpr std::string_view kDoc = "US dollars for a million tokens.";
  double input = 0;
  double cache_write = 0;
  double cache_read = 0;
  double output = 0;

  static void fields(auto& field) {
    field("input", &PricesInfo::input, "Of the prompt.");
    field("cacheWrite", &PricesInfo::cache_write, "Of a prompt written to the prompt cache.");
    field("cacheRead", &PricesInfo::cache_read, "Of a prompt read from it.");
    field("output", &PricesInfo::output, "Of the reply.");
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
  std::optional<PricesInfo> prices;

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
    field("prices", &ModelInfo::prices, "Absent: not known.");
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
