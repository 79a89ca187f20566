// The declaration says three things at once: what is encoded, what is decoded, and what the
// published schema.json allows. For every method these must be one and the same: a full message
// passes all three, and each way of spoiling it is refused by decode and by schema alike.
#include <doctest/doctest.h>

#include <fstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "protocol/contract.h"
#include "protocol/methods.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "wire/parse.h"

using namespace agentd;
using wire::Json;

namespace {

/// Sets every member to something that is allowed.
struct Filler {
  template <class T>
  static void fill(T& value, const wire::Limits& limits) {
    if constexpr (wire::Described<T>) {
      fill_struct(value);
    } else if constexpr (wire::is_optional<T>) {
      fill(value.emplace(), limits);
    } else if constexpr (wire::is_vector<T>) {
      fill(value.emplace_back(), limits);
    } else if constexpr (wire::is_union<T>) {
      fill_struct(value.template emplace<0>());
    } else if constexpr (wire::is_string_or_array<T>) {
      fill(value.template emplace<1>(), limits);
    } else if constexpr (std::same_as<T, std::string>) {
      value = "标 \"x\"\n";
    } else if constexpr (wire::is_integer<T>) {
      value = static_cast<T>(limits.minimum.value_or(7) + 1);
    } else if constexpr (std::same_as<T, double>) {
      value = static_cast<double>(limits.minimum.value_or(7)) + 0.5;
    } else if constexpr (std::same_as<T, bool>) {
      value = true;
    } else if constexpr (std::same_as<T, Json>) {
      value = {{"k", {1, "x"}}};
    } else {
      static_assert(wire::NamedEnum<T>);
      value = wire_names(T{}).list.back().value;
    }
  }

  template <class T>
  static void fill_struct(T& value) {
    const auto visit = [&value](auto, auto member, auto, const wire::Limits& limits = {}) {
      fill(value.*member, limits);
    };
    auto visitor = visit;
    T::fields(visitor);
  }
};

class Schema {
 public:
  explicit Schema(std::string_view name) {
    static const Json document = Json::parse(protocol::schema_json());
    Json root = {{"$ref", "#/$defs/" + std::string(name)}, {"$defs", document.at("$defs")}};
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(root), schema_);
  }

  bool allows(const Json& value) const {
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
  }

 private:
  valijson::Schema schema_;
};

/// What is wrong for a member of the kind that `value` is; nullopt if nothing is.
struct Spoiler {
  const Json& full;
  std::vector<std::pair<std::string, Json>>& spoilt;
  std::vector<std::pair<std::string, Json>>& allowed;

  template <class Owner, class Member>
  void operator()(std::string_view key, Member Owner::*, std::string_view,
                  const wire::Limits& limits = {}) {
    const std::string name(key);
    Json without = full;
    without.erase(name);
    (wire::is_optional<Member> ? allowed : spoilt).emplace_back("without " + name, without);
    const Json& value = full.at(name);
    const bool any = std::same_as<Member, Json> || std::same_as<Member, std::optional<Json>>;
    if (any && !limits.object) return;
    add(name, value.is_boolean() ? Json(5) : Json(true));
    if (value.is_string()) add(name, Json(5));
    if (value.is_object()) add(name, Json::array());
    if (value.is_number_integer()) add(name, Json("10"));
    if (limits.minimum) add(name, Json(*limits.minimum - 1));
    if (value.is_array()) add(name, Json::array({5}));
    if constexpr (wire::NamedEnum<Member>) add(name, Json("noSuchName"));
  }

  void add(const std::string& name, Json value) {
    Json changed = full;
    changed[name] = std::move(value);
    spoilt.emplace_back(name + " = " + changed[name].dump(), std::move(changed));
  }
};

template <class T>
void check_agreement() {
  CAPTURE(std::string(T::kName));
  T value{};
  Filler::fill_struct(value);
  const std::string text = wire::encode(value);
  const Result<Json> full = wire::parse(text);
  REQUIRE(full.has_value());
  const Schema schema(T::kName);
  CHECK(schema.allows(*full));
  const auto back = wire::decode<T>(*full, "params");
  REQUIRE(back.has_value());
  CHECK(wire::encode(*back) == text);

  std::vector<std::pair<std::string, Json>> spoilt;
  std::vector<std::pair<std::string, Json>> allowed;
  Spoiler spoiler{*full, spoilt, allowed};
  T::fields(spoiler);
  Json with_more = *full;
  with_more["unheardOf"] = {1, 2};
  allowed.emplace_back("with an unknown member", with_more);
  for (const auto& [how, json] : allowed) {
    CAPTURE(how);
    CHECK(schema.allows(json));
    CHECK(wire::decode<T>(json, "params").has_value());
  }
  for (const auto& [how, json] : spoilt) {
    CAPTURE(how);
    CHECK_FALSE(schema.allows(json));
    CHECK_FALSE(wire::decode<T>(json, "params").has_value());
  }
}

struct AgreementVisitor {
  int& methods;
  template <class Params, class Result>
  void operator()(const protocol::Request<Params, Result>&) const {
    ++methods;
    check_agreement<Params>();
    if constexpr (!std::same_as<Result, std::nullptr_t>) check_agreement<Result>();
  }
  template <class Params>
  void operator()(const protocol::Notification<Params>&) const {
    ++methods;
    check_agreement<Params>();
  }
};

}  // namespace

TEST_CASE("encode, decode and schema agree on every message") {
  int methods = 0;
  protocol::each_method(AgreementVisitor{methods});
  CHECK(methods == 50);
}

TEST_CASE("shared structs agree too") {
  check_agreement<protocol::ImageContent>();
  check_agreement<protocol::ClientCapabilities>();
  check_agreement<protocol::ServerCapabilities>();
  check_agreement<protocol::Usage>();
  check_agreement<protocol::ApprovalOption>();
  check_agreement<protocol::UserQuestion>();
  check_agreement<protocol::QuestionOption>();
  check_agreement<protocol::GivenAnswer>();
  check_agreement<protocol::Todo>();
  check_agreement<protocol::SessionInfo>();
  check_agreement<protocol::SessionPoint>();
  check_agreement<protocol::LastRun>();
  check_agreement<protocol::RewindConflict>();
  check_agreement<protocol::ToolInfo>();
  check_agreement<protocol::ModelInfo>();
}

TEST_CASE("processId may be null, as LSP clients send it") {
  const Json json = {{"protocolVersion", 1}, {"processId", nullptr}};
  CHECK(Schema("InitializeParams").allows(json));
  CHECK(wire::decode<protocol::InitializeParams>(json, "params").has_value());
}
