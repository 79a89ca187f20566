// Messages around a connection: initialize, initialized, shutdown, exit and the `$/` pair. As in
// LSP.
#pragma once

#include "protocol/content.h"
#include "protocol/modes.h"

namespace agentd::protocol {

inline constexpr int kProtocolVersion = 1;

struct ClientInfo {
  static constexpr std::string_view kName = "ClientInfo";
  std::string name;
  std::optional<std::string> version;

  static void fields(auto& field) {
    field("name", &ClientInfo::name, "The client's name.");
    field("version", &ClientInfo::version, "The client's version.");
  }
};

struct ClientCapabilities {
  static constexpr std::string_view kName = "ClientCapabilities";
  std::optional<bool> approvals;
  std::optional<bool> questions;

  static void fields(auto& field) {
    field("approvals", &ClientCapabilities::approvals,
          "Whether questions can be put to a person; absent is true. With false every question is "
          "denied at once, with the reason, and the run goes on.");
    field("questions", &ClientCapabilities::questions,
          "Whether the client shows agent/questionAsked and answers it; absent is false. Without "
          "it, or with approvals false, models are not offered the tool that asks.");
  }
};

struct InitializeParams {
  static constexpr std::string_view kName = "InitializeParams";
  int protocol_version = kProtocolVersion;
  std::optional<ClientInfo> client_info;
  std::optional<std::int64_t> process_id;
  std::optional<ClientCapabilities> capabilities;

  static void fields(auto& field) {
    field("protocolVersion", &InitializeParams::protocol_version,
          "The newest version the client speaks; 1 today. The answer names the version that holds.",
          {.minimum = 1});
    field("clientInfo", &InitializeParams::client_info, "Who the client is.");
    field("processId", &InitializeParams::process_id,
          "The client's process: agentd ends when it is gone. Absent or null: not watched.",
          {.minimum = 1, .maximum = 2147483647, .nullable = true});
    field("capabilities", &InitializeParams::capabilities, "What the client can do.");
  }
};

struct ServerInfo {
  static constexpr std::string_view kName = "ServerInfo";
  std::string name;
  std::string version;

  static void fields(auto& field) {
    field("name", &ServerInfo::name, "agentd.");
    field("version", &ServerInfo::version, "The server's version.");
  }
};

struct ServerCapabilities {
  static constexpr std::string_view kName = "ServerCapabilities";
  std::vector<PermissionMode> permission_modes;
  bool prompt_images = false;

  static void fields(auto& field) {
    field("permissionModes", &ServerCapabilities::permission_modes,
          "The modes that agent/start and agent/setMode take.");
    field("promptImages", &ServerCapabilities::prompt_images,
          "Whether a prompt may hold image blocks.");
  }
};

struct InitializeResult {
  static constexpr std::string_view kName = "InitializeResult";
  int protocol_version = kProtocolVersion;
  ServerInfo server_info;
  ServerCapabilities capabilities;

  static void fields(auto& field) {
    field("protocolVersion", &InitializeResult::protocol_version,
          "The version that both sides speak from here on.");
    field("serverInfo", &InitializeResult::server_info, "Who the server is.");
    field("capabilities", &InitializeResult::capabilities, "What the server can do.");
  }
};

struct CancelRequestParams {
  static constexpr std::string_view kName = "CancelRequestParams";
  Json id;

  static void fields(auto& field) {
    field("id", &CancelRequestParams::id, "The request's id, a string or a number.");
  }
};

struct SetTraceParams {
  static constexpr std::string_view kName = "SetTraceParams";
  Trace value = Trace::off;

  static void fields(auto& field) {
    field("value", &SetTraceParams::value,
          "Accepted as in LSP; agentd sends no trace, it logs to the file given with --log.");
  }
};

}  // namespace agentd::protocol
