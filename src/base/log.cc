#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <filesystem>
#include <memory>

namespace agentd::log {
namespace {

// Set once, before the threads that log exist; read by all of them.
std::atomic<spdlog::logger*> active{nullptr};

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

Result<void> open(const std::string& destination, Level lowest) {
  static std::shared_ptr<spdlog::logger> keep;
  // spdlog would make the directory: a typo would go unnoticed.
  const auto directory = std::filesystem::path(destination).parent_path();
  if (std::error_code failed;
      !directory.empty() && !std::filesystem::is_directory(directory, failed)) {
    return make_error(Code::not_found,
                      "cannot open the log: there is no directory " + directory.string(),
                      destination);
  }
  try {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (destination == "-") {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination);
    }
    keep = std::make_shared<spdlog::logger>("agentd", std::move(sink));
  } catch (const spdlog::spdlog_ex& failure) {
    return make_error(Code::io, std::string("cannot open the log: ") + failure.what(), destination);
  }
  keep->set_level(spdlog_level(lowest));
  keep->flush_on(spdlog::level::debug);
  keep->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l [%t] %v");
  active.store(keep.get());
  return {};
}

bool enabled(Level level) {
  const auto* logger = active.load();
  return logger != nullptr && logger->should_log(spdlog_level(level));
}

void write(Level level, std::string_view line) {
  if (auto* logger = active.load()) {
    logger->log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
  }
}

}  // namespace agentd::log
