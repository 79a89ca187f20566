// Server: the native protocol over standard input and output. It binds every method of the table
// to its handler; a method family has its own file: initialize.cc, agent.cc, session_methods.cc,
// catalog.cc. The process's life (end of input, signals, a client that is gone) is in lifecycle.cc.
//
// The reader thread (main) owns it: it waits in poll() for input and for its inbox, and handlers
// never wait. Runs have their threads and the outbox has its own; both hand over by inbox.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/methods.h"
#include "rpc/framing.h"
#include "rpc/outbox.h"
#include "rpc/peer.h"
#include "server/binding.h"
#include "server/engine.h"
#include "server/exit_code.h"
#include "server/inbox.h"
#include "server/session_end.h"
#include "server/sessions.h"
#include "server/storage.h"

namespace agentd::server {

struct ServeOptions {
  rpc::Framing framing = rpc::Framing::automatic;
  std::optional<std::string> model;  // what is used where a start names none
  bool store_sessions = true;
  int input = 0;   // descriptor
  int output = 1;  // descriptor; the protocol's alone
};

class SessionExport;
class SessionLoading;

/// Asked on the store's thread; what it returns is done on the reader's.
using StoreQuestion =
    std::function<std::function<void()>(const Result<session::SessionStore*>& store)>;

class Server {
 public:
  explicit Server(ServeOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves until the client ends it, is gone, or a signal comes. Returns the exit code.
  int serve();

 private:
  // initialize.cc
  void bind_lifecycle();
  std::optional<rpc::Refusal> refuse(std::string_view method) const;
  void initialize(protocol::InitializeParams params, Answer<protocol::InitializeResult> answer);
  void shutdown(Answer<std::nullptr_t> answer);
  void exit();

  // agent.cc
  void bind_agent();
  void start(protocol::StartParams params, Answer<protocol::StartResult> answer);
  bool start_waits(const protocol::StartParams& params,
                   const Answer<protocol::StartResult>& answer);
  RunWishes wishes_of(protocol::StartParams& params, const Session& session) const;
  void start_after(ActiveRun& active, protocol::StartParams params,
                   Answer<protocol::StartResult> answer);
  Result<Session*> session_for(const protocol::StartParams& params, Session& fresh,
                               std::vector<agent::Notice>& notices);
  void launch(Session& session, agent::RunOptions options, std::vector<agent::Notice> notices);
  void cancel(protocol::CancelParams params, Answer<protocol::CancelResult> answer);
  bool wait_for_start(const std::string& run_id, std::function<void()> request);
  std::optional<Error> refuse_new_run(const std::optional<std::string>& run_id);
  void compact(protocol::CompactParams params, Answer<protocol::StartResult> answer);
  void send(protocol::SendParams params, Answer<protocol::SendResult> answer);
  void unsend(protocol::UnsendParams params, Answer<protocol::Empty> answer);
  void approve_tool(protocol::ApproveToolParams params, Answer<protocol::Empty> answer);
  void answer_question(protocol::AnswerQuestionParams params, Answer<protocol::Empty> answer);
  void set_model(protocol::SetModelParams params, Answer<protocol::Empty> answer);
  void set_mode(protocol::SetModeParams params, Answer<protocol::Empty> answer);

  // stored_sessions.cc
  bool wait_for_session(const std::string& session_id, const std::string& run_id,
                        std::optional<bool> trusted, std::function<void()> go_on,
                        bool may_make_it = false);
  std::optional<session::SessionLock> take_name(const std::string& session_id);
  std::optional<Error> fault_of(const std::string& session_id) const;
  void claim_session(Session& session, int number);
  void open_session(const std::string& session_id, std::optional<bool> trusted, int number);
  void open_or_reserve(const std::string& session_id, std::optional<bool> trusted, int number);
  void on_claimed(const std::string& session_id, int number, const Result<session::Claim>& claimed);
  void on_opened(const std::string& session_id, std::optional<bool> trusted, int number,
                 Storage::Opened opened);
  Result<void> add_opened(session::OpenedSession opened, std::optional<bool> trusted);
  void opening_is_late(const std::string& session_id, int number);
  bool ends_opening(const std::string& session_id, int number);
  void end_opening(const std::string& session_id);
  // session_methods.cc
  void bind_sessions();
  void ask_store(StoreQuestion question);
  bool wait_until_free(const std::string& session_id, const rpc::Reply& reply,
                       std::function<void()> request);
  std::string store_directory();
  template <class T>
  void change_stored(const std::string& session_id,
                     std::function<Result<T>(session::SessionStore&)> change,
                     std::function<void(Result<T>)> told);
  void list_sessions(protocol::SessionListParams params,
                     Answer<protocol::SessionListResult> answer);
  void fork_session(protocol::SessionForkParams params, Answer<protocol::SessionForkResult> answer);
  void rewind_session(protocol::SessionRewindParams params,
                      Answer<protocol::SessionRewindResult> answer);
  void undo_rewind(protocol::SessionParams params, Answer<protocol::SessionRewindResult> answer);
  void rename_session(protocol::SessionRenameParams params, Answer<protocol::Empty> answer);
  void delete_session(protocol::SessionParams params, Answer<protocol::Empty> answer);
  void export_session(protocol::SessionExportParams params,
                      Answer<protocol::SessionExportResult> answer);
  void export_next_page(const std::shared_ptr<SessionExport>& under_way,
                        const Answer<protocol::SessionExportResult>& answer);

  // session_loading.cc
  void load_session(protocol::SessionParams params, Answer<protocol::SessionLoadResult> answer);
  void load_next_page(const std::string& session_id,
                      const std::shared_ptr<SessionLoading>& under_way);

  // catalog.cc
  void bind_catalog();

  // lifecycle.cc
  void watch_signals();
  void read_input();
  void take_frames();
  void end_of_input();
  void on_run_ended(const std::string& session_id, agent::Conversation conversation);
  void leave(int code);
  void cancel_runs();
  void signalled(int code);
  bool work_is_over() const;
  bool may_leave() const;
  void end_sessions();
  void on_sessions_ended();

  ServeOptions options_;
  Inbox inbox_;
  Engine engine_;
  Storage storage_;
  rpc::Outbox outbox_;
  rpc::Peer peer_;
  rpc::FrameReader reader_;
  Sessions sessions_;
  struct Opening {
    int number = 0;  // an answer with another one comes too late
    std::unique_ptr<Timer> patience;
  };
  std::map<std::string, Opening> openings_;  // by session; asked of the store, not answered
  int last_opening_ = 0;
  std::map<std::string, Error> opening_faults_;  // of sessions whose requests are being answered
  std::map<std::string, session::SessionLock> reserved_;  // names of such that are not there

  enum class Phase { fresh, serving, shut_down };
  Phase phase_ = Phase::fresh;
  bool approvals_ = true;   // the client can put questions to a person
  bool questions_ = false;  // ... and those of the model itself
  bool input_open_ = true;
  bool drain_runs_ = false;     // lines ended: leave when the running work is done
  std::optional<int> leaving_;  // the exit code, once it is decided
  std::optional<Answer<std::nullptr_t>> shutdown_answer_;
  bool signalled_ = false;
  bool hurried_ = false;  // a second signal: nothing more is waited for
  bool sessions_ended_ = false;
  std::unique_ptr<SessionEnd> session_end_;  // once it has begun

  int store_questions_ = 0;  // asked and not told yet
};

}  // namespace agentd::server
