#include "agent/job_threads.h"

#include <utility>

namespace agentd::agent {

JobThreads::~JobThreads() {
  for (auto& [job, worker] : working_) free_.push_back(std::move(worker));
  for (auto& worker : free_) worker.jobs->close();
  for (auto& worker : free_) worker.thread.join();
}

JobThreads::Worker JobThreads::new_worker() {
  auto jobs = std::make_shared<Mailbox<ToolJob>>();
  std::thread thread([jobs] {
    while (auto job = jobs->pop()) perform(std::move(*job));
  });
  return {std::move(jobs), std::move(thread)};
}

void JobThreads::start(ToolJob job) {
  if (free_.empty()) free_.push_back(new_worker());
  Worker worker = std::move(free_.back());
  free_.pop_back();
  const std::uint64_t id = job.job;
  worker.jobs->push(std::move(job));
  working_.emplace(id, std::move(worker));
}

void JobThreads::ended(std::uint64_t job) {
  const auto found = working_.find(job);
  if (found == working_.end()) return;
  free_.push_back(std::move(found->second));
  working_.erase(found);
}

std::size_t JobThreads::give_up() {
  for (auto& [job, worker] : working_) {
    worker.jobs->close();
    worker.thread.detach();
  }
  const std::size_t left = working_.size();
  working_.clear();
  return left;
}

}  // namespace agentd::agent
