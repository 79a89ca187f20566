#include "tools/benign_exit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace agentd::tools {
namespace {

struct Meaning {
  std::string_view program;
  std::string_view words;
};

constexpr std::string_view kNoMatch = "no line matched";
constexpr std::string_view kDiffer = "the two sides differ";
constexpr std::string_view kFalse = "the condition is false";

constexpr std::array<Meaning, 9> kMeanings = {{{"grep", kNoMatch},
                                               {"egrep", kNoMatch},
                                               {"fgrep", kNoMatch},
                                               {"zgrep", kNoMatch},
                                               {"rg", kNoMatch},
                                               {"diff", kDiffer},
                                               {"test", kFalse},
                                               {"[", kFalse},
                                               {"find", "some places could not be searched"}}};

enum class Joint { start, always, and_then, or_else, pipe };

// One simple command as far as it can be told without a shell's parser.
struct Segment {
  Joint before = Joint::start;
  std::vector<std::string> words;  // quotes removed
};

// Splits at unquoted separators. Nullopt for anything that needs a real parser: substitutions,
// groups, here-documents, background jobs, unfinished quotes.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::optional<std::vector<Segment>> split() {
    segments_.emplace_back();
    while (at_ < text_.size()) {
      if (!step()) return std::nullopt;
    }
    end_word();
    if (segments_.back().words.empty() && segments_.back().before == Joint::always) {
      segments_.pop_back();  // a final ";" or newline
    }
    return std::move(segments_);
  }

 private:
  bool step() {
    const char c = text_[at_];
    switch (c) {
      case '\'':
        return single_quoted();
      case '"':
        return double_quoted();
      case '\\':
        if (at_ + 1 >= text_.size()) return false;
        if (text_[at_ + 1] != '\n') add(text_[at_ + 1]);
        at_ += 2;
        return true;
      case '#':
        if (in_word_) break;
        at_ = std::min(text_.find('\n', at_), text_.size());
        return true;
      case ' ':
      case '\t':
        end_word();
        ++at_;
        return true;
      case '\n':
      case ';':
        return separate(Joint::always, 1);
      case '|':
        if (next_is('|')) return separate(Joint::or_else, 2);
        return separate(Joint::pipe, next_is('&') ? 2 : 1);
      case '&':
        if (next_is('&')) return separate(Joint::and_then, 2);
        if (next_is('>') || (at_ > 0 && text_[at_ - 1] == '>')) break;  // a redirection
        return false;
      case '`':
      case '(':
      case ')':
      case '{':
      case '}':
        return false;
      case '<':
        if (next_is('<')) return false;
        break;
      default:
        break;
    }
    add(c);
    ++at_;
    return true;
  }

  bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }

  bool single_quoted() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return false;
    for (const char c : text_.substr(at_ + 1, end - at_ - 1)) add(c);
    in_word_ = true;
    at_ = end + 1;
    return true;
  }

  bool double_quoted() {
    in_word_ = true;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] == '`' || (text_[at_] == '$' && next_is('('))) return false;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      add(text_[at_]);
    }
    return false;
  }

  bool separate(Joint joint, std::size_t length) {
    end_word();
    at_ += length;
    Segment& last = segments_.back();
    if (last.words.empty()) {
      if (joint != Joint::always) return false;
      return true;  // an empty line, or a newline after an operator
    }
    segments_.push_back({joint, {}});
    return true;
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) segments_.back().words.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  std::vector<Segment> segments_;
};

bool assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

std::size_t first_word(const Segment& segment) {
  std::size_t at = 0;
  while (at < segment.words.size() && assignment(segment.words[at])) ++at;
  return at;
}

std::string_view program_of(const Segment& segment) {
  const std::size_t at = first_word(segment);
  if (at >= segment.words.size()) return {};
  const std::string_view word = segment.words[at];
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

std::optional<std::string_view> meaning_of(const Segment& segment) {
  const std::string_view program = program_of(segment);
  for (const Meaning& meaning : kMeanings) {
    if (meaning.program == program) return meaning.words;
  }
  const std::size_t at = first_word(segment) + 1;
  if (program == "git" && at < segment.words.size()) {
    if (segment.words[at] == "grep") return kNoMatch;
    if (segment.words[at] == "diff") return kDiffer;
  }
  return std::nullopt;
}

// Whether the shell's exit code is sure to be the last segment's: after `&&` it may be the left
// side's (of `cd` too, but then its message tells), and `set -e` or `set -o pipefail` mix them all.
bool last_one_decides(const std::vector<Segment>& segments) {
  for (const Segment& segment : segments) {
    const std::string_view program = program_of(segment);
    if (program == "set" || program == "shopt" || program == "trap" || program == "exit") {
      return false;
    }
  }
  for (std::size_t i = segments.size() - 1; i > 0 && segments[i].before != Joint::always; --i) {
    const bool left_is_cd =
        segments[i - 1].before != Joint::pipe && program_of(segments[i - 1]) == "cd";
    if (segments[i].before == Joint::and_then && !left_is_cd) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> benign_exit(std::string_view command, int exit_code) {
  if (exit_code != 1) return std::nullopt;
  const std::optional<std::vector<Segment>> segments = Splitter(command).split();
  if (!segments || segments->empty() || !last_one_decides(*segments)) return std::nullopt;
  const std::optional<std::string_view> words = meaning_of(segments->back());
  if (!words) return std::nullopt;
  return "exit code 1 of " + std::string(program_of(segments->back())) +
         " means: " + std::string(*words) + "; not an error";
}

}  // namespace agentd::tools
