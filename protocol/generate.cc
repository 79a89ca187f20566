// Writes the published contract (schema.json, methods.json, README.md) from src/protocol/, or
// checks that the committed one is what would be written:
//
//   protocol_generator write DIRECTORY TRANSCRIPTS
//   protocol_generator check DIRECTORY TRANSCRIPTS FRESH   (FRESH: where to leave what differs)
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "protocol/contract.h"

namespace {

namespace fs = std::filesystem;

struct Document {
  std::string name;
  std::string text;
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool write(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return static_cast<bool>(out);
}

std::vector<agentd::protocol::Transcript> transcripts_in(const fs::path& directory) {
  std::vector<fs::path> paths;
  if (fs::is_directory(directory)) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().extension() == ".rpc") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<agentd::protocol::Transcript> transcripts;
  for (const fs::path& path : paths) transcripts.push_back({path.filename(), read(path)});
  return transcripts;
}

std::vector<Document> documents(const fs::path& transcripts) {
  return {{"schema.json", agentd::protocol::schema_json()},
          {"methods.json", agentd::protocol::methods_json()},
          {"README.md", agentd::protocol::readme(transcripts_in(transcripts))}};
}

std::size_t first_different_line(const std::string& left, const std::string& right) {
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
  return static_cast<std::size_t>(std::count(left.begin(), at, '\n')) + 1;
}

int check(const fs::path& directory, const std::vector<Document>& fresh, const fs::path& aside) {
  int stale = 0;
  fs::create_directories(aside);
  for (const Document& document : fresh) {
    const std::string committed = read(directory / document.name);
    if (committed == document.text) continue;
    ++stale;
    write(aside / document.name, document.text);
    std::fprintf(stderr,
                 "protocol/%s is not what src/protocol/ says, from line %zu on (fresh: %s)\n",
                 document.name.c_str(), first_different_line(committed, document.text),
                 (aside / document.name).c_str());
  }
  if (stale > 0) {
    std::fprintf(stderr, "To write it anew: cmake --build build/release --target protocol\n");
  }
  return stale == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 3 && words[0] == "write") {
    for (const Document& document : documents(words[2])) {
      if (!write(fs::path(words[1]) / document.name, document.text)) return 1;
    }
    return 0;
  }
  if (words.size() == 4 && words[0] == "check") {
    return check(words[1], documents(words[2]), words[3]);
  }
  std::fprintf(stderr,
               "protocol_generator write DIRECTORY TRANSCRIPTS\n"
               "protocol_generator check DIRECTORY TRANSCRIPTS FRESH\n");
  return 2;
}
