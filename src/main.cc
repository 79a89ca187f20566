// agentd's command line: flags and wiring, nothing else.
//
//   agentd        serves the native protocol on standard input and output (server/server.h)
//   agentd run    one run from a shell (server/run_command.h)
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/log.h"
#include "base/version.h"
#include "config/settings.h"
#include "permission/permission.h"
#include "platform/stdio.h"
#include "server/exit_code.h"
#include "server/run_command.h"
#include "server/server.h"

namespace {

using namespace agentd;

constexpr const char* kServeNotes =
    "Without a subcommand agentd serves: JSON-RPC 2.0 on standard input and output, as frames "
    "with\n"
    "Content-Length (LSP) or one message per line. See protocol/README.md.\n\n"
    "Exit codes: 0 after shutdown and exit, or when lines end and every run succeeded; 1 the "
    "client\n"
    "is gone, or exit without shutdown; 2 wrong usage; 3 lines ended and not every run succeeded;\n"
    "130 SIGINT; 143 SIGTERM or SIGHUP.";

constexpr const char* kRunNotes =
    "The answer goes to standard output, tool activity to standard error. Questions are put to "
    "you\n"
    "where standard input is a terminal; else they are denied and the run goes on. What is piped "
    "in\n"
    "(at most 10 MB) is added to the prompt; a pipe that says nothing is waited for 3 s.\n\n"
    "Exit codes: 0 success; 1 error (model, network, output closed); 2 wrong usage; 3 stopped by "
    "a\n"
    "limit; 130 SIGINT; 143 SIGTERM or SIGHUP.";

struct Flags {
  server::ServeOptions serve;
  server::RunCommandOptions run;
  std::string log_file;
};

void add_serve_flags(CLI::App& app, Flags& flags) {
  const std::map<std::string, rpc::Framing> framings{{"auto", rpc::Framing::automatic},
                                                     {"headers", rpc::Framing::headers},
                                                     {"lines", rpc::Framing::lines}};
  app.add_option("--framing", flags.serve.framing, "auto (by the first byte), headers or lines")
      ->transform(CLI::CheckedTransformer(framings).description(""))
      ->type_name("MODE");
  app.add_option("--model", flags.serve.model, "The model where a request names none")
      ->type_name("NAME");
  app.add_option("--log", flags.log_file, "Write a log to FILE (- for standard error)")
      ->type_name("FILE");
}

void add_run_flags(CLI::App& app, Flags& flags) {
  const std::map<std::string, permission::Mode> modes{
      {"ask", permission::Mode::ask},
      {"acceptEdits", permission::Mode::accept_edits},
      {"plan", permission::Mode::plan},
      {"bypass", permission::Mode::bypass}};
  app.add_option("prompt", flags.run.prompt, "What is asked")->type_name("TEXT");
  app.add_option("--model", flags.run.model, "provider/name, demo, or script:FILE")
      ->type_name("NAME");
  app.add_option("--permission-mode", flags.run.mode, "ask (default), acceptEdits, plan or bypass")
      ->transform(CLI::CheckedTransformer(modes).description(""))
      ->type_name("MODE");
  app.add_option("--max-turns", flags.run.max_turns, "At most this many model calls; 0: no limit")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_option("--cwd", flags.run.cwd, "The workspace; default: the current directory")
      ->type_name("DIR");
  app.add_flag("--json", flags.run.json, "Print the notifications instead, one per line");
  app.add_option("--log", flags.log_file, "Write a log to FILE (- for standard error)")
      ->type_name("FILE");
}

int fail(const Error& error) {
  std::fprintf(stderr, "agentd: %s: %s\n", error.where.c_str(), error.message.c_str());
  return server::exit_code::kError;
}

// Without descriptors or threads there is nothing to serve with.
int refused(const std::system_error& error) {
  std::fprintf(stderr, "agentd: cannot start: the system refused a resource (%s)\n", error.what());
  return server::exit_code::kError;
}

int start(Flags& flags, bool of_run) {
  platform::harden_process();
  config::hide_secrets();
  if (!flags.log_file.empty()) {
    if (const auto opened = log::open(flags.log_file, log::Level::debug); !opened) {
      return fail(opened.error());
    }
  }
  const auto output = platform::claim_protocol_output();
  if (!output) return fail(output.error());
  if (of_run) {
    flags.run.output = output->get();
    return server::run_command(flags.run);
  }
  flags.serve.output = output->get();
  return server::Server(flags.serve).serve();
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"An engine for coding agents that an editor or a shell talks to over stdio.",
               "agentd"};
  app.set_version_flag("--version", "agentd " + std::string(version()));
  app.footer(kServeNotes);
  add_serve_flags(app, flags);
  CLI::App* run = app.add_subcommand("run", "One run from a shell: agentd run \"what to do\"");
  run->footer(kRunNotes);
  add_run_flags(*run, flags);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? server::exit_code::kSuccess : server::exit_code::kUsage;
  }

  try {
    return start(flags, run->parsed());
  } catch (const std::system_error& error) {
    return refused(error);
  }
}
