// model_server: the test server as a program, for the shell and for benches. Prints its URL, then
// answers every request until it is killed:
//
//   model_server [--port N] [--strict] [FILE.sse ...]
//
// With files: each request gets the next one, from the start again after the last. Without: the
// text "Hello." --strict: a request that breaks a rule of the real API gets its 400.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "support/anthropic_replies.h"
#include "support/model_server.h"
#include "support/stream_case.h"
#include "support/strict_api.h"

using namespace agentd::test;

int main(int argc, char** argv) {
  int port = 0;
  bool strict = false;
  std::vector<std::string> bodies;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--port") == 0 && i + 1 < argc) {
      port = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--strict") == 0) {
      strict = true;
    } else {
      bodies.push_back(read_file(argv[i]));
    }
  }
  if (bodies.empty()) bodies.push_back(AnthropicReply().text("Hello.").str());

  // Blocked before the server's threads start, so that only sigwait sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  ModelServer server(port);
  std::mutex mutex;
  std::size_t next = 0;
  const StrictApi api;
  server.set_handler([&](const SeenRequest& request) {
    if (strict) {
      if (auto refusal = api.refuse(request)) return *refusal;
    }
    std::lock_guard lock(mutex);
    return ServerReply::stream(bodies[next++ % bodies.size()]);
  });
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}
