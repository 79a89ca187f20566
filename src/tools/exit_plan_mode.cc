#include "tools/exit_plan_mode.h"

#include "base/ascii.h"
#include "tools/exit_plan_mode.md.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

struct ExitPlanModeInput {
  std::string plan;

  static void fields(auto& field) {
    field("plan", &ExitPlanModeInput::plan, "The plan, Markdown, as the user is shown it.");
  }
};

class ExitPlanModeTool final : public TypedTool<ExitPlanModeInput> {
 public:
  ExitPlanModeTool() : TypedTool("ExitPlanMode", embedded::exit_plan_mode) {}

  bool safe(const Json&) const override { return false; }
  bool changes_mode() const override { return true; }

 protected:
  std::optional<Error> check(const ExitPlanModeInput& input) const override {
    if (!ascii::blank(input.plan)) return std::nullopt;
    return invalid("plan", "must not be empty; write the whole plan, the user decides by it");
  }

  Access access_of(const ExitPlanModeInput&, const std::string&) const override {
    Access access;
    access.leaves_plan_mode = true;
    return access;
  }

  std::optional<std::string> preview_of(const ExitPlanModeInput& input,
                                        const CallContext&) const override {
    return input.plan;
  }

  Outcome run_with(const ExitPlanModeInput&, const CallContext& context) const override {
    if (context.mode != PermissionMode::plan) {
      return error_outcome("There is no plan mode to leave: the permission mode is " +
                           std::string(to_string(context.mode)) + ". Go on with the work.");
    }
    Outcome outcome = text_outcome(
        "The plan is agreed to and plan mode is over; the permission mode is " +
        std::string(to_string(context.mode_before_plan)) + " now. Carry the plan out.");
    outcome.mode = context.mode_before_plan;
    return outcome;
  }
};

}  // namespace

std::unique_ptr<Tool> make_exit_plan_mode() {
  return std::make_unique<ExitPlanModeTool>();
}

}  // namespace agentd::tools
