#include "tools/glob_pattern.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"

namespace agentd::tools {
namespace {

constexpr std::size_t kMaxAlternatives = 1000;
// Braces are expanded by recursion, one call with a copy of the pattern for each of them.
constexpr std::size_t kMaxBraces = 64;

std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    ++length;
  }
  return length;
}

// The index of the "]" that closes the class at `pattern[0] == '['`; a "]" right after "[" or
// "[!" is a member.
std::optional<std::size_t> class_end(std::string_view pattern) {
  std::size_t at = 1;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;
  for (; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == ']') {
      return at;
    }
  }
  return std::nullopt;
}

// One character of the class body, which may be quoted; removes it.
std::string_view take_member(std::string_view& body) {
  if (body.size() > 1 && body.front() == '\\') body.remove_prefix(1);
  const std::string_view member = body.substr(0, character_length(body));
  body.remove_prefix(member.size());
  return member;
}

bool in_class(std::string_view body, std::string_view character) {
  bool negated = false;
  if (!body.empty() && (body.front() == '!' || body.front() == '^')) {
    negated = true;
    body.remove_prefix(1);
  }
  bool found = false;
  while (!body.empty()) {
    const std::string_view low = take_member(body);
    std::string_view high = low;
    if (body.size() > 1 && body.front() == '-') {
      body.remove_prefix(1);
      high = take_member(body);
    }
    // Byte order of UTF-8 is the order of its characters.
    found = found || (low <= character && character <= high);
  }
  return found != negated;
}

// One component against one component pattern; backtracks to the last star only, so the cost is
// the product of the lengths at worst.
bool component_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::optional<std::size_t> star;
  std::size_t star_name = 0;
  while (true) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_name = n;
      continue;
    }
    if (n == name.size() && p == pattern.size()) return true;
    std::size_t consumed = 0;  // of the pattern; 0: no match here
    const std::size_t width = n < name.size() ? character_length(name.substr(n)) : 0;
    if (p < pattern.size() && n < name.size()) {
      if (pattern[p] == '?') {
        consumed = 1;
      } else if (pattern[p] == '[') {
        const std::size_t end = *class_end(pattern.substr(p));
        if (in_class(pattern.substr(p + 1, end - 1), name.substr(n, width))) consumed = end + 1;
      } else {
        const std::size_t quote = pattern[p] == '\\' && p + 1 < pattern.size() ? 1 : 0;
        const std::size_t length = character_length(pattern.substr(p + quote));
        if (pattern.substr(p + quote, length) == name.substr(n, width)) consumed = quote + length;
      }
    }
    if (consumed > 0) {
      p += consumed;
      n += width;
      continue;
    }
    if (!star || star_name >= name.size()) return false;
    star_name += character_length(name.substr(star_name));
    n = star_name;
    p = *star;
  }
}

std::string_view take_component(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view component = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return component;
}

// Again backtracking to the last `**` only: a later one covers whatever an earlier one could.
bool path_matches(std::string_view pattern, std::string_view path) {
  std::string_view after_stars;
  std::string_view stars_path;
  bool stars = false;
  while (true) {
    if (pattern.empty() && path.empty()) return true;
    if (!pattern.empty()) {
      std::string_view rest = pattern;
      const std::string_view wanted = take_component(rest);
      if (wanted == "**") {
        if (rest.empty()) return !path.empty();
        stars = true;
        after_stars = rest;
        stars_path = path;
        pattern = rest;
        continue;
      }
      if (!path.empty()) {
        std::string_view path_rest = path;
        if (component_matches(wanted, take_component(path_rest))) {
          pattern = rest;
          path = path_rest;
          continue;
        }
      }
    }
    if (!stars || stars_path.empty()) return false;
    take_component(stars_path);
    path = stars_path;
    pattern = after_stars;
  }
}

struct Braces {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<std::string_view> choices;
};

Error unclosed(char what, std::string_view pattern) {
  return make_error(Code::invalid_input, "the pattern " + std::string(pattern) +
                                             " has an unclosed `" + what + "`; write `\\" + what +
                                             "` for the character itself");
}

// The first pair of braces, if any, with the choices of its own level.
Result<std::optional<Braces>> first_braces(std::string_view pattern) {
  std::optional<Braces> braces;
  int depth = 0;
  std::size_t choice = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      ++at;
    } else if (c == '[') {
      const auto end = class_end(pattern.substr(at));
      if (!end) return unclosed('[', pattern);
      at += *end;
    } else if (c == '{') {
      if (depth++ == 0) {
        braces = Braces{at, 0, {}};
        choice = at + 1;
      }
    } else if (depth > 0 && (c == '}' || (c == ',' && depth == 1))) {
      if (c == '}' && --depth > 0) continue;
      braces->choices.push_back(pattern.substr(choice, at - choice));
      choice = at + 1;
      if (c == '}') {
        braces->close = at;
        return braces;
      }
    }
  }
  if (depth > 0) return unclosed('{', pattern);
  return std::optional<Braces>();
}

Result<void> expand(const std::string& pattern, std::vector<std::string>& out) {
  const Result<std::optional<Braces>> braces = first_braces(pattern);
  if (!braces) return braces.error();
  if (!*braces) {
    if (out.size() == kMaxAlternatives) {
      return make_error(Code::invalid_input, "the braces of the pattern stand for more than " +
                                                 std::to_string(kMaxAlternatives) + " patterns");
    }
    out.push_back(pattern);
    return {};
  }
  for (const std::string_view choice : (*braces)->choices) {
    const Result<void> done = expand(pattern.substr(0, (*braces)->open) + std::string(choice) +
                                         pattern.substr((*braces)->close + 1),
                                     out);
    if (!done) return done.error();
  }
  return {};
}

bool has_wildcard(std::string_view component) {
  return component.find_first_of("*?[{\\") != std::string_view::npos;
}

}  // namespace

Result<GlobPattern> GlobPattern::parse(std::string_view pattern) {
  if (pattern.size() > kMaxGlob) {
    return make_error(Code::invalid_input, "the pattern is longer than " +
                                               std::to_string(kMaxGlob) +
                                               " bytes; search with several shorter ones");
  }
  if (std::count(pattern.begin(), pattern.end(), '{') > static_cast<std::ptrdiff_t>(kMaxBraces)) {
    return make_error(Code::invalid_input, "the pattern has more than " +
                                               std::to_string(kMaxBraces) +
                                               " braces; search with several simpler ones");
  }
  GlobPattern parsed;
  if (const Result<void> done = expand(std::string(pattern), parsed.alternatives_); !done) {
    return done.error();
  }
  for (std::string& alternative : parsed.alternatives_) {
    if (alternative.find('/') == std::string::npos) alternative.insert(0, "**/");
    if (alternative.substr(0, 2) == "./") alternative.erase(0, 2);
    if (!alternative.empty() && alternative.front() == '/') alternative.erase(0, 1);
  }
  return parsed;
}

bool GlobPattern::matches(std::string_view relative_path) const {
  for (const std::string& alternative : alternatives_) {
    if (path_matches(alternative, relative_path)) return true;
  }
  return false;
}

GlobRoot split_root(std::string_view pattern) {
  std::size_t cut = std::string_view::npos;
  std::size_t begin = 0;
  for (std::size_t slash = pattern.find('/'); slash != std::string_view::npos;
       slash = pattern.find('/', begin)) {
    if (has_wildcard(pattern.substr(begin, slash - begin))) break;
    cut = slash;
    begin = slash + 1;
  }
  if (cut == std::string_view::npos) return {"", std::string(pattern)};
  return {cut == 0 ? "/" : std::string(pattern.substr(0, cut)),
          "/" + std::string(pattern.substr(cut + 1))};
}

}  // namespace agentd::tools
