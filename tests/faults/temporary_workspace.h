// A directory of its own for one test: a workspace, a home, and scripts for the model.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace agentd::testing {

class TemporaryWorkspace {
 public:
  TemporaryWorkspace() {
    std::string name = (std::filesystem::temp_directory_path() / "agentd-faults-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    root_ = std::filesystem::canonical(name);
    std::filesystem::create_directory(root_ / "work");
    std::filesystem::create_directory(root_ / "home");
  }
  ~TemporaryWorkspace() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TemporaryWorkspace(const TemporaryWorkspace&) = delete;
  TemporaryWorkspace& operator=(const TemporaryWorkspace&) = delete;

  std::string work() const { return (root_ / "work").string(); }
  std::string home() const { return (root_ / "home").string(); }
  std::string path(const std::string& name) const { return (root_ / name).string(); }

  /// Writes a script and returns the model's name for it.
  std::string script(const std::string& text) const {
    write("model.script", text);
    return "script:" + path("model.script");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(root_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path root_;
};

}  // namespace agentd::testing
