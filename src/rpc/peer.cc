#include "rpc/peer.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/log.h"
#include "rpc/request_id.h"
#include "wire/parse.h"
#include "wire/text.h"

namespace agentd::rpc {

// What replies share with the peer; outlives it while a reply is held somewhere.
struct Peer::Core {
  explicit Core(Send sender) : send(std::move(sender)) {}

  void write(std::string message) {
    std::lock_guard lock(mutex);
    if (send) send(std::move(message));
  }

  mutable std::mutex mutex;
  Send send;  // empty once the peer is gone
  std::unordered_map<std::string, std::weak_ptr<Reply::State>> pending;  // by id, as JSON text
};

struct Reply::State {
  State(std::shared_ptr<Peer::Core> owner, std::string request_id)
      : core(std::move(owner)), id(std::move(request_id)) {}
  ~State() {
    if (!answered.load()) fail(kInternalError, "the request was dropped without an answer", {});
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void succeed(std::string_view result) {
    std::string message = R"({"jsonrpc":"2.0","id":)";
    message += id;
    message += R"(,"result":)";
    message += result;
    message += '}';
    answer(std::move(message));
  }

  void fail(int number, std::string_view text, std::string_view data_fields) {
    answer(error_message(id, number, text, data_fields));
  }

  static std::string error_message(std::string_view id, int number, std::string_view text,
                                   std::string_view data_fields) {
    std::string message = R"({"jsonrpc":"2.0","id":)";
    message += id;
    message += R"(,"error":{"code":)";
    wire::append_int(message, number);
    message += R"(,"message":)";
    wire::append_string(message, text);
    if (!data_fields.empty()) {
      message += R"(,"data":{)";
      message += data_fields;
      message += '}';
    }
    message += "}}";
    return message;
  }

  void answer(std::string message) {
    if (answered.exchange(true)) {
      log::warning("rpc: a second answer to request " + id + " was dropped");
      return;
    }
    // Outlives the lock: if it is the last handle of that request, its end takes the lock again.
    std::shared_ptr<State> held;
    {
      std::lock_guard lock(core->mutex);
      const auto found = core->pending.find(id);
      if (found != core->pending.end()) held = found->second.lock();
      // A client may have used the id again; that entry is another request's.
      if (found != core->pending.end() && (!held || held.get() == this)) core->pending.erase(found);
    }
    core->write(std::move(message));
  }

  std::shared_ptr<Peer::Core> core;
  std::string id;
  std::atomic<bool> answered{false};
  std::function<void(const Reply&)> cancel_hook;  // the dispatching thread's only
};

void Reply::result(std::string_view json) const {
  state_->succeed(json);
}

void Reply::error(const Error& error) const {
  this->error(error, {});
}

void Reply::error(const Error& error, std::string_view data_fields) const {
  const ErrorEntry entry = entry_of(error.code);
  std::string data;
  wire::append_key(data, "code");
  wire::append_string(data, entry.name);
  if (!error.where.empty()) {
    data += error.code == Code::invalid_input ? R"(,"path":)" : R"(,"where":)";
    wire::append_string(data, error.where);
  }
  if (!data_fields.empty()) data.append(",").append(data_fields);
  state_->fail(entry.number, error.message, data);
}

void Reply::error_number(int number, std::string_view message) const {
  state_->fail(number, message, {});
}

void Reply::on_cancel(std::function<void(const Reply&)> hook) const {
  state_->cancel_hook = std::move(hook);
}

Peer::Peer(Send send) : core_(std::make_shared<Core>(std::move(send))) {}

Peer::~Peer() {
  std::lock_guard lock(core_->mutex);
  core_->send = nullptr;
}

void Peer::bind_request(std::string method, RequestHandler handler) {
  requests_.insert_or_assign(std::move(method), std::move(handler));
}

void Peer::bind_notification(std::string method, NotificationHandler handler) {
  notifications_.insert_or_assign(std::move(method), std::move(handler));
}

std::size_t Peer::unanswered() const {
  std::lock_guard lock(core_->mutex);
  return core_->pending.size();
}

void Peer::receive_fault(int number, std::string_view message) {
  core_->write(Reply::State::error_message("null", number, message, {}));
}

void Peer::receive(std::string_view text) {
  const auto parsed = wire::parse(text);
  if (!parsed) return receive_fault(kParseError, parsed.error().message);
  const Json& message = *parsed;
  if (message.is_array()) return receive_fault(kInvalidRequest, "batches are not supported");
  if (!message.is_object()) return receive_fault(kInvalidRequest, "a message is a JSON object");

  const bool has_id = message.contains("id");
  const std::optional<std::string> id = has_id ? request_id(message["id"], text) : std::nullopt;
  const auto method = message.find("method");
  if (method == message.end() && (message.contains("result") || message.contains("error"))) {
    log::info("rpc: a response to no request of ours was dropped");
    return;
  }
  const auto refuse = [&](int number, std::string_view why) {
    core_->write(Reply::State::error_message(id.value_or("null"), number, why, {}));
  };
  const auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0") {
    return refuse(kInvalidRequest, R"(a message has "jsonrpc": "2.0")");
  }
  if (method == message.end() || !method->is_string()) {
    return refuse(kInvalidRequest, "a message has a method, which is a string");
  }
  if (has_id && !id) return refuse(kInvalidRequest, "an id is a string or a number");

  const auto found = message.find("params");
  const Json params = found == message.end() ? Json() : *found;
  if (!params.is_structured() && !params.is_null()) {
    if (!has_id) return;
    return core_->write(Reply::State::error_message(*id, kInvalidParams,
                                                    "params is an object or an array",
                                                    R"("code":"invalidInput","path":"params")"));
  }
  if (has_id) {
    request(method->get_ref<const std::string&>(), params, *id);
  } else {
    notification(method->get_ref<const std::string&>(), params);
  }
}

void Peer::request(const std::string& method, const Json& params, const std::string& id) {
  const auto state = std::make_shared<Reply::State>(core_, id);
  const auto found = requests_.find(method);
  if (gate_) {
    if (const auto refusal = gate_(method))
      return state->fail(refusal->number, refusal->message, {});
  }
  if (found == requests_.end()) {
    return state->fail(kMethodNotFound, "there is no method " + method, {});
  }
  {
    std::lock_guard lock(core_->mutex);
    core_->pending.insert_or_assign(id, state);
  }
  try {
    found->second(params, Reply(state));
  } catch (const std::exception& failure) {
    log::error("rpc: " + method + " threw: " + failure.what());
    if (!state->answered.load()) state->fail(kInternalError, failure.what(), {});
  }
}

void Peer::notification(const std::string& method, const Json& params) {
  if (method == "$/cancelRequest") return cancel_request(params);
  const auto found = notifications_.find(method);
  if (found == notifications_.end()) {
    log::info("rpc: unknown notification " + method + " ignored");
    return;
  }
  if (gate_ && gate_(method)) return;
  try {
    found->second(params);
  } catch (const std::exception& failure) {
    log::error("rpc: " + method + " threw: " + failure.what());
  }
}

void Peer::cancel_request(const Json& params) {
  if (!params.is_object() || !params.contains("id")) return;
  // An id with a fraction is not looked for: its text is not at hand here, and nobody sends one.
  const std::optional<std::string> id = request_id(params["id"], {});
  if (!id) return;
  std::shared_ptr<Reply::State> state;
  {
    std::lock_guard lock(core_->mutex);
    const auto found = core_->pending.find(*id);
    if (found != core_->pending.end()) state = found->second.lock();
  }
  if (!state || state->answered.load()) return;
  if (const auto hook = std::exchange(state->cancel_hook, nullptr)) hook(Reply(state));
}

}  // namespace agentd::rpc
