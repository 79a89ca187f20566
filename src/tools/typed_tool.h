// TypedTool: a Tool whose input is a described struct (wire/description.h). Schema, checks and
// decoding come from that one declaration; the tool itself sees the struct only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tools/tool.h"
#include "wire/tool_input.h"

namespace agentd::tools {

template <wire::Described Input>
class TypedTool : public Tool {
 public:
  TypedTool(std::string name, std::string_view description)
      : definition_{std::move(name), std::string(description), wire::input_schema<Input>()} {}

  const ToolDefinition& definition() const final { return definition_; }

  Result<Json> coerce(const Json& input) const final {
    Result<Json> coerced = wire::coerce<Input>(input);
    if (!coerced) return coerced;
    Result<Input> typed = wire::decode<Input>(*coerced, {});
    if (!typed) return std::move(typed.error());
    if (std::optional<Error> fault = check(*typed)) return std::move(*fault);
    return coerced;
  }

  Access access(const Json& input, const std::string& cwd) const final {
    const Result<Input> typed = wire::decode<Input>(input, {});
    return typed ? access_of(*typed, cwd) : Access{};
  }

  std::optional<std::string> preview(const Json& input, const CallContext& context) const final {
    const Result<Input> typed = wire::decode<Input>(input, {});
    return typed ? preview_of(*typed, context) : std::nullopt;
  }

  Outcome run(const Json& input, const CallContext& context) const final {
    const Result<Input> typed = wire::decode<Input>(input, {});
    if (!typed) return error_outcome("Invalid input: " + typed.error().message);
    return run_with(*typed, context);
  }

 protected:
  /// What the schema cannot say. Pure.
  virtual std::optional<Error> check(const Input& input) const {
    (void)input;
    return std::nullopt;
  }
  virtual Access access_of(const Input& input, const std::string& cwd) const = 0;
  virtual std::optional<std::string> preview_of(const Input& input,
                                                const CallContext& context) const {
    (void)input;
    (void)context;
    return std::nullopt;
  }
  virtual Outcome run_with(const Input& input, const CallContext& context) const = 0;

 private:
  ToolDefinition definition_;
};

inline Error invalid(std::string field, const std::string& what) {
  std::string message = field + ": " + what;
  return make_error(Code::invalid_input, std::move(message), std::move(field));
}

}  // namespace agentd::tools
