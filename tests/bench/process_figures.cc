#include "bench/process_figures.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace agentd::bench {
namespace {

namespace fs = std::filesystem;

fs::path folder(pid_t pid, const char* name) {
  return fs::path("/proc") / std::to_string(pid) / name;
}

int entries(const fs::path& path) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(path)) ++count;
  return count;
}

}  // namespace

double status_megabytes(pid_t pid, const std::string& name) {
  std::ifstream file(folder(pid, "status"));
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  throw std::runtime_error("no " + name + " in /proc");
}

double cpu_milliseconds(pid_t pid) {
  double total = 0;
  for (const auto& task : fs::directory_iterator(folder(pid, "task"))) {
    std::ifstream file(task.path() / "schedstat");
    double nanoseconds = 0;
    file >> nanoseconds;
    total += nanoseconds / 1e6;
  }
  return total;
}

int open_files(pid_t pid) {
  return entries(folder(pid, "fd"));
}

int threads(pid_t pid) {
  return entries(folder(pid, "task"));
}

}  // namespace agentd::bench
