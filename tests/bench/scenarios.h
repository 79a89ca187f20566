// The figures of the bench, each measured once per call on one subject. They are taken as the
// peers' were: times between bytes on the model's socket and bytes on the client's pipe.
#pragma once

#include <cstddef>

#include "bench/subject.h"

namespace agentd::bench {

double start_up(Rig& rig);          // ms, spawn -> initialize answered
double idle_memory(Rig& rig);       // MB resident after one prompt
double start_to_request(Rig& rig);  // ms, agent/start sent -> request in, warm
double paced_delta(Rig& rig);       // ms, delta written -> notification read
double delta_rate(Rig& rig);        // deltas of 20 bytes a second
double block_to_tool(Rig& rig);     // ms, block closed -> the tool opens its file
double cancel_command(Rig& rig);    // ms, cancel sent -> runEnded; throws if a process is left
double idle_cpu(Rig& rig);          // ms of CPU a second
double large_input(Rig& rig, std::size_t bytes);  // ms, first input delta -> next request
double parallel_reads(Rig& rig);                  // ms, end of a reply with 8 Reads -> next request
double command_turns(Rig& rig);  // ms, end of a reply with Bash `true` -> next request

/// One run of `turns` turns with one Read each.
struct ReadTurns {
  double median = 0;       // ms, end of reply k -> request k+1, over all turns
  double last_median = 0;  // over the last 50
  double p95 = 0;          // ms, 95 % are faster
  double peak_memory = 0;  // MB
};
ReadTurns read_turns(Rig& rig, std::size_t turns);

double median(std::vector<double> values);

}  // namespace agentd::bench
