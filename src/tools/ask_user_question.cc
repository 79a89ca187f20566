#include "tools/ask_user_question.h"

#include <set>
#include <utility>

#include "base/ascii.h"
#include "tools/ask_user_question.md.h"
#include "tools/typed_tool.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kMostQuestions = 4;
constexpr std::size_t kLeastOptions = 2;
constexpr std::size_t kMostOptions = 4;

struct OptionInput {
  std::string label;
  std::string description;
  std::optional<std::string> preview;

  static void fields(auto& field) {
    field("label", &OptionInput::label, "What the user chooses, a few words.");
    field("description", &OptionInput::description, "What choosing it leads to.");
    field("preview", &OptionInput::preview,
          "What it would look like: a few lines of code or text.");
  }
};

struct QuestionInput {
  std::string question;
  std::string header;
  std::vector<OptionInput> options;
  std::optional<bool> multi_select;

  static void fields(auto& field) {
    field("question", &QuestionInput::question, "The question, one whole sentence.");
    field("header", &QuestionInput::header, "What it is about: at most 12 characters.");
    field("options", &QuestionInput::options, "What there is to choose from: 2 to 4 options.");
    field("multiSelect", &QuestionInput::multi_select,
          "Whether several may be chosen. Default: false.");
  }
};

struct AskUserQuestionInput {
  std::vector<QuestionInput> questions;

  static void fields(auto& field) {
    field("questions", &AskUserQuestionInput::questions, "What to ask: 1 to 4 questions.");
  }
};

std::optional<Error> question_fault(const QuestionInput& question, const std::string& at) {
  if (ascii::blank(question.question)) return invalid(at + "question", "must not be empty");
  const std::size_t count = question.options.size();
  if (count < kLeastOptions || count > kMostOptions) {
    return invalid(at + "options", "needs 2 to 4 options, got " + std::to_string(count) +
                                       "; the user can answer in their own words anyway");
  }
  std::set<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string where = at + "options[" + std::to_string(i) + "].label";
    const std::string& label = question.options[i].label;
    if (ascii::blank(label)) return invalid(where, "must not be empty");
    if (!labels.insert(label).second) return invalid(where, "is the label of another option too");
  }
  return std::nullopt;
}

// A question and what was answered, so that neither needs the call to be understood.
std::string answer_text(const QuestionInput& question, const QuestionAnswer& answer) {
  std::string text = "Question: " + question.question + "\nAnswer: ";
  for (std::size_t i = 0; i < answer.labels.size(); ++i) {
    text += (i > 0 ? ", " : "") + answer.labels[i];
  }
  if (answer.text.empty()) return text;
  return text + (answer.labels.empty() ? "" : "\nIn their own words: ") + answer.text;
}

class AskUserQuestionTool final : public TypedTool<AskUserQuestionInput> {
 public:
  AskUserQuestionTool() : TypedTool("AskUserQuestion", embedded::ask_user_question) {}

  bool safe(const Json&) const override { return true; }
  bool asks_user() const override { return true; }

  std::vector<Question> questions(const Json& input) const override {
    const auto typed = wire::decode<AskUserQuestionInput>(input, {});
    std::vector<Question> questions;
    if (!typed) return questions;
    for (const QuestionInput& each : typed->questions) {
      Question& question = questions.emplace_back();
      question.question = each.question;
      question.header = each.header;
      question.multi_select = each.multi_select.value_or(false);
      for (const OptionInput& option : each.options) {
        question.options.push_back({option.label, option.description, option.preview});
      }
    }
    return questions;
  }

 protected:
  std::optional<Error> check(const AskUserQuestionInput& input) const override {
    const std::size_t count = input.questions.size();
    if (count == 0 || count > kMostQuestions) {
      return invalid("questions", "needs 1 to 4 questions, got " + std::to_string(count) +
                                      "; ask what matters most first");
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto fault = question_fault(input.questions[i], "questions[" + std::to_string(i) + "].");
      if (fault) return fault;
    }
    return std::nullopt;
  }

  Access access_of(const AskUserQuestionInput&, const std::string&) const override { return {}; }

  Outcome run_with(const AskUserQuestionInput& input, const CallContext& context) const override {
    if (context.answers.size() != input.questions.size()) {
      return error_outcome("Nobody could be asked. Go on with the best choice you can make.");
    }
    std::string text = "The user has answered.";
    for (std::size_t i = 0; i < input.questions.size(); ++i) {
      text += "\n\n" + answer_text(input.questions[i], context.answers[i]);
    }
    return text_outcome(std::move(text));
  }
};

}  // namespace

std::unique_ptr<Tool> make_ask_user_question() {
  return std::make_unique<AskUserQuestionTool>();
}

}  // namespace agentd::tools
