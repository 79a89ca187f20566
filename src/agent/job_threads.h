// JobThreads: the threads on which a run's tool jobs work, each kept for the next job when it has
// done one. Owned by the executor and used from the run's thread only; a job's last message is the
// sign that its thread is free again. All end with the run, but those given up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "agent/tool_job.h"
#include "base/mailbox.h"

namespace agentd::agent {

class JobThreads {
 public:
  JobThreads() = default;
  ~JobThreads();  // waits for those that work
  JobThreads(const JobThreads&) = delete;
  JobThreads& operator=(const JobThreads&) = delete;

  /// Throws std::system_error if the system gives no thread.
  void start(ToolJob job);

  /// The job has told its end.
  void ended(std::uint64_t job);

  /// Jobs that have not ended.
  std::size_t working() const { return working_.size(); }

  /// Leaves alone the threads that still work; how many.
  std::size_t give_up();

 private:
  struct Worker {
    std::shared_ptr<Mailbox<ToolJob>> jobs;  // the thread's too, which may outlive us
    std::thread thread;
  };
  static Worker new_worker();

  std::map<std::uint64_t, Worker> working_;
  std::vector<Worker> free_;
};

}  // namespace agentd::agent
