// The id of a request as the client wrote it. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace agentd::rpc {

using Json = nlohmann::json;

/// The id as JSON text, or nothing if it is neither a string nor a number. A number that is not a
/// plain integer comes back with the very digits that stand in `message`, where it is the last
/// member "id" of the outermost object: 1.0 and 1e0 are different texts.
std::optional<std::string> request_id(const Json& id, std::string_view message);

}  // namespace agentd::rpc
