#include "session/store_thread.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "agent/run.h"
#include "base/log.h"
#include "base/mailbox.h"
#include "platform/fd.h"

namespace agentd::session {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

Result<void> make_directory(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_directory(directory, failed)) return {};
  fs::create_directories(directory, failed);
  if (!failed) fs::permissions(directory, fs::perms::owner_all, failed);
  if (!failed) return {};
  return make_error(Code::io, "the directory for sessions cannot be made: " + failed.message(),
                    directory);
}

// Whether the file under a name is still the one that was opened.
using FileIdentity = std::pair<dev_t, ino_t>;

FileIdentity identity_of(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

// SQLite gives its other files the mode of the first. Where this fails the opening says why.
void close_to_others(const std::string& path) {
  constexpr mode_t kUserAlone = 0600;
  const platform::Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kUserAlone));
}

}  // namespace

// Shared with the thread, which may outlive its owner when the disk holds it.
struct StoreThread::State {
  std::string path;
  std::string directory;
  Durability durability = Durability::normal;
  std::chrono::milliseconds retry_after = kRetryAfter;
  Mailbox<Job> jobs;

  // The thread's own.
  std::optional<SessionStore> store;
  std::optional<Error> fault;  // of the last try to open it
  SteadyTime tried;
  FileIdentity identity;  // of the file that is open

  std::mutex mutex;
  std::condition_variable left;
  bool over = false;  // guarded by mutex: the thread has left

  Result<SessionStore*> opened();
  void work();
  void run(const Job& job);
};

Result<SessionStore*> StoreThread::State::opened() {
  if (store && identity_of(path) == identity) return &*store;
  if (store) log::warning("store: its file is gone, or another one: it is opened anew");
  store.reset();
  const SteadyTime now = std::chrono::steady_clock::now();
  if (fault && now - tried < retry_after) return *fault;
  tried = now;
  auto made = make_directory(directory);
  if (made) close_to_others(path);
  auto fresh = made ? SessionStore::open(path, durability) : Result<SessionStore>(made.error());
  if (!fresh) {
    fault = fresh.error();
    fault->code = Code::unavailable;  // whatever the reason: no session can be had
    log::error("store: " + fault->message);
    return *fault;
  }
  store.emplace(std::move(*fresh));
  identity = identity_of(path);
  return &*store;
}

// What a library throws must not end the process, nor leave somebody without an answer.
void StoreThread::State::run(const Job& job) {
  try {
    return job(opened());
  } catch (const std::exception& failure) {
    log::error(std::string("store: ") + failure.what());
  }
  try {
    job(make_error(Code::io, "the store failed: see the log"));
  } catch (const std::exception& failure) {
    log::error(std::string("store: no answer: ") + failure.what());
  }
}

void StoreThread::State::work() {
  while (auto job = jobs.pop()) {
    if (!*job) break;  // the owner's last word
    run(*job);
  }
  store.reset();
  std::lock_guard lock(mutex);
  over = true;
  left.notify_all();
}

StoreThread::StoreThread(std::string path, Durability durability,
                         std::chrono::milliseconds retry_after)
    : directory_(std::filesystem::path(path).parent_path().string()),
      state_(std::make_shared<State>()) {
  state_->path = std::move(path);
  state_->directory = directory_;
  state_->durability = durability;
  state_->retry_after = retry_after;
  thread_ = std::thread([state = state_] { state->work(); });
}

StoreThread::~StoreThread() {
  finish();
}

void StoreThread::finish() {
  if (!thread_.joinable()) return;
  post(nullptr);  // behind all that is still to be done
  std::unique_lock lock(state_->mutex);
  if (state_->left.wait_for(lock, kLastWait, [this] { return state_->over; })) {
    lock.unlock();
    thread_.join();
    return;
  }
  log::error("store: the disk does not answer; its thread is left alone");
  agent::left_behind().fetch_add(1);
  thread_.detach();
}

void StoreThread::post(Job job) {
  state_->jobs.push(std::move(job));
}

std::string store_path(const config::Environment& environment) {
  const std::string directory = config::data_directory(environment);
  return directory.empty() ? "" : directory + "/sessions.db";
}

}  // namespace agentd::session
