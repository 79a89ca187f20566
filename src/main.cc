// agentd's command line: flags and wiring, nothing else.
//
//   agentd           serves the native protocol on standard input and output (server/server.h)
//   agentd run       one run from a shell (server/run_command.h)
//   agentd sessions  lists what is stored, deletes or prints a session (server/sessions_command.h)
//   agentd trust     adds a directory to those whose own files may run hooks (config/trust.h)
//   agentd doctor    says what is configured, what answers and what is missing (server/doctor/)
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "base/log.h"
#include "base/version.h"
#include "config/settings.h"
#include "config/trust.h"
#include "permission/permission.h"
#include "platform/stdio.h"
#include "server/doctor/doctor.h"
#include "server/exit_code.h"
#include "server/run_command.h"
#include "server/server.h"
#include "server/sessions_command.h"

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
    "where standard input and standard error are a terminal; else they are denied and the run "
    "goes\n"
    "on. What is piped in (at most 10 MB) is added to the prompt; a pipe that says nothing is "
    "waited\n"
    "for 3 s.\n\n"
    "Exit codes: 0 success; 1 error (model, network, output closed); 2 wrong usage; 3 stopped by "
    "a\n"
    "limit; 130 SIGINT; 143 SIGTERM or SIGHUP.";

struct Flags {
  server::ServeOptions serve;
  server::RunCommandOptions run;
  server::DoctorOptions doctor;
  server::SessionsOptions sessions;
  std::string trusted_directory;
  std::string log_file;
};

// The values that a flag may have, by name.
template <class Value>
CLI::Validator one_of(std::map<std::string, Value> values, std::string named) {
  return {[values = std::move(values), named = std::move(named)](std::string& text) {
            const auto found = values.find(text);
            if (found == values.end()) return "must be " + named + ", not `" + text + "`";
            text = std::to_string(static_cast<int>(found->second));
            return std::string();
          },
          ""};
}

std::string check_turns(std::string& text) {
  constexpr std::size_t kMaxDigits = 9;  // fits an int
  const bool whole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (whole && text.size() <= kMaxDigits) return "";
  return "must be a whole number, 0 (no limit) or more, not `" + text + "`";
}

std::string not_empty(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

// A script's path is meant from where the shell is, whatever the workspace.
std::string complete_model(std::string& name) {
  constexpr std::string_view kScript = "script:";
  if (!name.starts_with(kScript)) return "";
  const std::filesystem::path path = name.substr(kScript.size());
  if (path.empty()) return "the file is missing behind `script:`";
  std::error_code failed;
  const auto complete = std::filesystem::absolute(path, failed);
  if (failed || !std::filesystem::exists(complete, failed)) {
    return "there is no file " + path.string();
  }
  name = std::string(kScript) + complete.string();
  return "";
}

void add_serve_flags(CLI::App& app, Flags& flags) {
  app.add_option("--framing", flags.serve.framing, "auto (by the first byte), headers or lines")
      ->transform(one_of<rpc::Framing>({{"auto", rpc::Framing::automatic},
                                        {"headers", rpc::Framing::headers},
                                        {"lines", rpc::Framing::lines}},
                                       "auto, headers or lines"))
      ->type_name("MODE");
  app.add_option("--model", flags.serve.model, "The model where a request names none")
      ->transform(CLI::Validator(complete_model, ""))
      ->type_name("NAME");
  app.add_flag_callback(
      "--no-session", [&flags] { flags.serve.store_sessions = false; },
      "Keep sessions in memory alone");
  app.add_option("--log", flags.log_file, "Write a log to FILE (- for standard error)")
      ->type_name("FILE");
}

void add_run_flags(CLI::App& app, Flags& flags) {
  app.add_option("prompt", flags.run.prompt, "What is asked")->type_name("TEXT");
  app.add_option("--model", flags.run.model, "provider/name, demo, or script:FILE")
      ->transform(CLI::Validator(complete_model, ""))
      ->type_name("NAME");
  app.add_option("--permission-mode", flags.run.mode, "ask (default), acceptEdits, plan or bypass")
      ->transform(one_of<permission::Mode>({{"ask", permission::Mode::ask},
                                            {"acceptEdits", permission::Mode::accept_edits},
                                            {"plan", permission::Mode::plan},
                                            {"bypass", permission::Mode::bypass}},
                                           "ask, acceptEdits, plan or bypass"))
      ->type_name("MODE");
  app.add_option("--max-turns", flags.run.max_turns, "At most this many model calls; 0: no limit")
      ->transform(CLI::Validator(check_turns, ""))
      ->type_name("N");
  app.add_option("--max-budget-usd", flags.run.max_budget_usd,
                 "End the run when it has cost this many US dollars")
      ->check(CLI::NonNegativeNumber)
      ->type_name("USD");
  app.add_option("--fallback-model", flags.run.fallback_models,
                 "Goes on when the model cannot be had; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--tools", flags.run.tools,
                 "The tools that are offered, separated by commas; \"\": none; default: all")
      ->type_name("NAMES");
  auto* cwd =
      app.add_option("--cwd", flags.run.cwd, "The workspace; default: the current directory")
          ->type_name("DIR");
  app.add_flag("--json", flags.run.json, "Print the notifications instead, one per line");
  auto* go_on =
      app.add_flag("--continue", flags.run.go_on, "Go on with the last session of this directory");
  auto* resume =
      app.add_option("--resume", flags.run.session_id,
                     "Go on with the session ID, in its own directory (agentd sessions lists "
                     "them)")
          ->type_name("ID")
          ->check(not_empty)
          ->excludes(go_on)
          ->excludes(cwd);
  app.add_flag("--fork", flags.run.fork, "With one of these: go on with a copy of the session")
      ->check([go_on, resume](const std::string&) {
        return go_on->count() + resume->count() > 0 ? "" : "is for --continue or --resume";
      });
  app.add_flag_callback(
         "--no-session", [&flags] { flags.run.store_sessions = false; }, "Do not store the session")
      ->excludes(go_on)
      ->excludes(resume);
  app.add_option("--log", flags.log_file, "Write a log to FILE (- for standard error)")
      ->type_name("FILE");
}

CLI::App* add_trust(CLI::App& app, Flags& flags) {
  CLI::App* trusting = app.add_subcommand(
      "trust", "Let the hooks count that a directory's own settings files ask for");
  trusting->add_option("directory", flags.trusted_directory, "A workspace")
      ->type_name("DIR")
      ->required();
  return trusting;
}

CLI::App* add_sessions(CLI::App& app, Flags& flags) {
  CLI::App* sessions = app.add_subcommand("sessions", "The sessions that are stored");
  sessions->add_option("--cwd", flags.sessions.cwd, "Of this directory; default: the current one")
      ->type_name("DIR");
  sessions->add_flag("--all", flags.sessions.all, "Of every directory");
  sessions->add_option("--search", flags.sessions.search, "Whose titles hold these words")
      ->type_name("WORDS");
  sessions->add_option("--limit", flags.sessions.limit, "At most this many, the latest first")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  sessions->add_flag("--json", flags.sessions.json, "One JSON object per line");
  auto* exported =
      sessions
          ->add_option("--export", flags.sessions.exported, "Print the session ID as JSON Lines")
          ->type_name("ID");
  sessions->add_option("--delete", flags.sessions.deleted, "Delete the session ID")
      ->type_name("ID")
      ->excludes(exported);
  sessions->footer(
      "A line has the session's id, when it was last used (UTC) and its title.\n\n"
      "Exit codes: 0 done; 1 the store cannot be read; 2 there is no such session.");
  return sessions;
}

CLI::App* add_doctor(CLI::App& app, Flags& flags) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "What is configured, what answers and what is missing");
  doctor->add_option("--cwd", flags.doctor.cwd, "The workspace; default: the current directory")
      ->type_name("DIR");
  doctor->add_flag("--offline", flags.doctor.offline, "Ask no endpoint");
  doctor->add_flag("--json", flags.doctor.json, "One JSON object per line");
  doctor->footer("Exit codes: 0 nothing failed (warnings do not count); 1 something did.");
  return doctor;
}

int wrong_usage(const std::string& message, bool of_run) {
  std::fprintf(stderr, "agentd: %s (see agentd%s --help)\n", message.c_str(), of_run ? " run" : "");
  return server::exit_code::kUsage;
}

// What was left over on the command line.
std::string unexpected(const std::vector<std::string>& words, const Flags& flags, bool of_run) {
  for (const std::string& word : words) {
    if (word.starts_with("-")) return "there is no option " + word;
  }
  std::string all = of_run ? flags.run.prompt : "";
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  if (!of_run) {
    return "there is no command `" + words.front() + "`; write agentd run \"" + all + "\"";
  }
  return "the prompt is one argument: quote it, agentd run \"" + all + "\"";
}

int parse_failed(const CLI::App& app, const CLI::App& run, const CLI::ParseError& error,
                 const Flags& flags) {
  const bool of_run = run.parsed() || run.count() > 0;
  const auto words = of_run && run.remaining_size() > 0 ? run.remaining() : app.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !words.empty()) {
    return wrong_usage(unexpected(words, flags, of_run), of_run);
  }
  return wrong_usage(error.what(), of_run);
}

std::string misplaced(const CLI::App& app, const CLI::App& run) {
  if (!run.parsed()) return "";
  for (const char* flag : {"--framing", "--model"}) {
    if (app.count(flag) > 0) return flag;
  }
  return "";
}

int fail(const Error& error) {
  std::fprintf(stderr, "agentd: %s: %s\n", error.where.c_str(), error.message.c_str());
  return server::exit_code::kError;
}

// `agentd trust DIR`: what the directory's own files decide (hooks) counts from now on.
int trust(const std::string& directory) {
  const auto files = platform::make_disk_files();
  std::error_code failed;
  const std::string absolute = std::filesystem::absolute(directory, failed).string();
  const auto trusted =
      config::trust(config::trust_file(config::process_environment()), absolute, *files);
  if (!trusted) return fail(trusted.error());
  std::printf("trusted: %s\n", trusted->c_str());
  return server::exit_code::kSuccess;
}

int doctor(const server::DoctorOptions& options) {
  platform::harden_process();
  config::hide_secrets();
  return server::doctor_command(options);
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
    log::info("agentd " + std::string(version()) + " started");
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
  const CLI::App* trusting = add_trust(app, flags);
  const CLI::App* examining = add_doctor(app, flags);
  const CLI::App* listing = add_sessions(app, flags);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return parse_failed(app, *run, error, flags);
  }
  if (const auto flag = misplaced(app, *run); !flag.empty()) {
    return wrong_usage(flag + " before `run` is for serving and says nothing to a run", true);
  }

  try {
    if (trusting->parsed()) return trust(flags.trusted_directory);
    if (examining->parsed()) return doctor(flags.doctor);
    if (listing->parsed()) return server::sessions_command(flags.sessions);
    return start(flags, run->parsed());
  } catch (const std::system_error& error) {
    return refused(error);
  }
}
