// side_by_side: a fixed number of pieces of work that block, done on several threads. For jobs, not
// for the run or the reader.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/log.h"

namespace agentd {

/// Calls `work(0)` to `work(count - 1)`, at most `most` at once, and returns when all are done.
/// This thread works too, so that with no other thread to be had it still gets done. `work` does
/// not throw.
template <class Work>
void side_by_side(std::size_t count, std::size_t most, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(count, most)) others.emplace_back(take_turns);
  } catch (const std::system_error& error) {
    log::warning(std::string("no thread for work side by side: ") + error.what());
  }
  take_turns();
}

}  // namespace agentd
