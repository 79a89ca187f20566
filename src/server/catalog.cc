// tool/list and model/list: what there is.
#include "server/server.h"

namespace agentd::server {
namespace {

protocol::ToolListResult list_tools(const tools::Registry& tools) {
  protocol::ToolListResult result;
  for (const auto& tool : tools.all()) {
    const ToolDefinition& definition = tool->definition();
    result.tools.push_back({definition.name, definition.description, definition.input_schema});
  }
  return result;
}

protocol::ModelListResult list_models(const model::Models& models) {
  protocol::ModelListResult result;
  for (const model::ModelListing& model : models.list()) {
    result.models.push_back({model.name, model.provider, model.display_name,
                             model.facts.context_window, model.facts.maximum_output,
                             model.available, std::nullopt});
    if (const auto& prices = model.facts.prices) {
      result.models.back().prices = protocol::PricesInfo{prices->input, prices->cache_write,
                                                         prices->cache_read, prices->output};
    }
  }
  return result;
}

}  // namespace

void Server::bind_catalog() {
  bind(peer_, protocol::kToolList,
       [this](auto, auto answer) { answer.result(list_tools(engine_.tools())); });
  bind(peer_, protocol::kModelList, [this](auto, auto answer) {
    protocol::ModelListResult result = list_models(engine_.models());
    result.default_model = engine_.default_model(options_.model);
    answer.result(result);
  });
}

}  // namespace agentd::server
