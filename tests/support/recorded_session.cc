#include "support/recorded_session.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "support/recordings.h"

namespace agentd::test {
namespace {

std::string unpacked(const std::filesystem::path& file) {
  const std::string command = "gzip -dc '" + file.string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 64 * 1024> bytes{};
  while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    text.append(bytes.data(), got);
  }
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

std::string parts_of(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(recordings() / "agent-sessions")) {
    if (entry.path().filename().string().starts_with(name + ".")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw std::runtime_error("no recorded session " + name);
  std::string text;
  for (const auto& file : files) text += unpacked(file);
  return text;
}

std::string text_of(const Json& content) {
  std::string text;
  for (const Json& part : content) {
    if (part.at("type") == "text") text += part.at("text").get<std::string>();
  }
  return text;
}

std::vector<Block> said_by_assistant(const Json& content) {
  std::vector<Block> blocks;
  for (const Json& part : content) {
    const auto type = part.at("type").get<std::string>();
    if (type == "text") {
      blocks.emplace_back(TextBlock{part.at("text").get<std::string>()});
    } else if (type == "thinking") {
      // Without its signature, that of a turn that was aborted: no client can send it back.
      const auto signature = part.value("thinkingSignature", "");
      if (signature.empty()) continue;
      blocks.emplace_back(ThinkingBlock{part.at("thinking").get<std::string>(), signature});
    } else if (type == "toolCall") {
      blocks.emplace_back(ToolUseBlock{part.at("id").get<std::string>(),
                                       part.at("name").get<std::string>(), part.at("arguments")});
    }
  }
  return blocks;
}

// Nothing in it: an entry of another kind.
Message message_of(const Json& told) {
  const auto role = told.at("role").get<std::string>();
  if (role == "assistant") return {Role::assistant, said_by_assistant(told.at("content"))};
  if (role == "user") return {Role::user, {TextBlock{text_of(told.at("content"))}}};
  if (role == "toolResult") {
    return {Role::user,
            {ToolResultBlock{told.at("toolCallId").get<std::string>(),
                             {TextBlock{text_of(told.at("content"))}},
                             told.value("isError", false)}}};
  }
  if (role == "bashExecution") {
    return {Role::user,
            {TextBlock{"I ran " + told.at("command").get<std::string>() + ":\n" +
                       told.at("output").get<std::string>()}}};
  }
  return {};
}

}  // namespace

std::vector<Message> recorded_session(const std::string& name) {
  std::istringstream lines(parts_of(name));
  std::vector<Message> messages;
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line);
    if (entry.at("type") != "message") continue;
    Message message = message_of(entry.at("message"));
    if (!message.blocks.empty()) messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace agentd::test
