#include "transcripts/transcript.h"

#include <sstream>
#include <stdexcept>

namespace agentd::transcripts {
namespace {

[[noreturn]] void refuse(int line, const std::string& reason) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + reason);
}

bool begins_with(const std::string& text, std::string_view prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// Lines with a place: what belongs to one entry is the line and the indented lines after it.
class Lines {
 public:
  explicit Lines(const std::string& text) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines_.push_back(line);
  }

  bool done() const { return next_ >= lines_.size(); }
  int number() const { return static_cast<int>(next_); }  // of the line taken last
  std::string take() { return lines_[next_++]; }

  /// The indented lines that follow, without their indent, each ended by a newline.
  std::string take_indented() {
    std::string text;
    while (!done() && begins_with(lines_[next_], "  ")) text += take().substr(2) + "\n";
    return text;
  }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

Json parse_message(const std::string& text, int line) {
  Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded()) refuse(line, "not JSON: " + text);
  return message;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'n' || text[i + 1] == 'r')) {
      result += text[++i] == 'n' ? '\n' : '\r';
    } else {
      result += text[i];
    }
  }
  return result;
}

Step runner_step(const std::string& words, int line) {
  Step step;
  step.line = line;
  const auto space = words.find(' ');
  const std::string verb = words.substr(0, space);
  step.text = space == std::string::npos ? "" : words.substr(space + 1);
  if (verb == "close") {
    step.kind = StepKind::close_input;
  } else if (verb == "exit") {
    step.kind = StepKind::expect_exit;
    step.code = std::stoi(step.text);
  } else if (verb == "signal") {
    step.kind = StepKind::send_signal;
  } else if (verb == "raw") {
    step.kind = StepKind::send_raw;
    step.text = unescaped(step.text);
  } else {
    refuse(line, "no such step: ! " + words);
  }
  return step;
}

Step message_step(StepKind kind, const std::string& text, int line) {
  Step step;
  step.kind = kind;
  step.line = line;
  step.message = parse_message(text, line);
  return step;
}

void take_header(Transcript& transcript, const std::string& line, Lines& lines) {
  const int number = lines.number();
  const auto colon = line.find(": ");
  const bool block = !line.empty() && line.back() == ':';
  if (!block && colon == std::string::npos) refuse(number, "neither a header nor a step: " + line);
  const std::string key = block ? line.substr(0, line.size() - 1) : line.substr(0, colon);
  const std::string value = block ? lines.take_indented() : line.substr(colon + 2);
  if (key == "framing") {
    transcript.framing =
        value == "lines" ? testing::Framing::lines : testing::Framing::content_length;
  } else if (key == "argument") {
    transcript.arguments.push_back(value);
  } else if (key == "environment") {
    const auto equals = value.find('=');
    if (equals == std::string::npos) refuse(number, "environment: NAME=value");
    transcript.environment.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  } else if (key == "script") {
    transcript.script = value;
  } else if (begins_with(key, "file ")) {
    transcript.files.emplace_back(key.substr(5), value);
  } else {
    refuse(number, "no such header: " + key);
  }
}

}  // namespace

Transcript parse_transcript(const std::string& text) {
  Transcript transcript;
  Lines lines(text);
  while (!lines.done()) {
    const std::string line = lines.take();
    const int number = lines.number();
    if (line.empty()) continue;
    if (begins_with(line, "#")) {
      if (transcript.title.empty() && line.size() > 2) transcript.title = line.substr(2);
    } else if (begins_with(line, "> ")) {
      const std::string body = line.substr(2) + lines.take_indented();
      transcript.steps.push_back(message_step(StepKind::send, body, number));
    } else if (line == "< ...") {
      Step skip;
      skip.line = number;
      transcript.steps.push_back(skip);
    } else if (begins_with(line, "< ")) {
      const std::string body = line.substr(2) + lines.take_indented();
      transcript.steps.push_back(message_step(StepKind::expect, body, number));
    } else if (begins_with(line, "! ")) {
      transcript.steps.push_back(runner_step(line.substr(2), number));
    } else if (transcript.steps.empty()) {
      take_header(transcript, line, lines);
    } else {
      refuse(number, "headers stand before the first step: " + line);
    }
  }
  if (transcript.title.empty()) refuse(1, "the first line is `# ` and a title");
  return transcript;
}

}  // namespace agentd::transcripts
