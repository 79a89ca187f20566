// Random histories with random changes of the view: whatever happened, what is sent fits the rules
// that every API checks, and the log has lost nothing.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "base/utf8.h"
#include "context/history.h"
#include "context/normalise.h"
#include "context/summary.h"
#include "context/tail.h"
#include "context/tokens.h"
#include "unit/context/talk.h"

using namespace agentd;
using namespace agentd::context;
using namespace agentd::context::test;

namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool one_in(int count) { return below(count) == 0; }

 private:
  std::mt19937 random_;
};

std::vector<std::string> ids_of_results(const Message& message) {
  std::vector<std::string> ids;
  for (const Block& block : message.blocks) {
    if (const auto* answer = std::get_if<ToolResultBlock>(&block)) {
      ids.push_back(answer->tool_use_id);
    }
  }
  return ids;
}

std::vector<std::string> ids_of_calls(const Message& message) {
  std::vector<std::string> ids;
  for (const Block& block : message.blocks) {
    if (const auto* call = std::get_if<ToolUseBlock>(&block)) ids.push_back(call->id);
  }
  return ids;
}

bool blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// What is wrong with a message by itself; empty: nothing.
std::string fault_of(const Message& message) {
  if (message.blocks.empty()) return "an empty message";
  bool behind_results = false;
  for (const Block& block : message.blocks) {
    const bool is_result = std::holds_alternative<ToolResultBlock>(block);
    if (is_result && behind_results) return "a result behind something else";
    if (!is_result) behind_results = true;
    if (is_result && std::get<ToolResultBlock>(block).content.empty()) return "an empty result";
    if (const auto* text = std::get_if<TextBlock>(&block)) {
      if (blank(text->text)) return "blank text";
      if (!utf8::valid(text->text)) return "text that is not UTF-8";
    }
  }
  return {};
}

// What an API would refuse in `view`. The calls of its last message may be open.
std::string fault_of(const View& view) {
  std::set<std::string> ids;
  std::vector<std::string> open;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const Message& message = *view[i];
    if (i == 0 && message.role != Role::user) return "it does not begin with the user";
    if (i > 0 && message.role == view[i - 1]->role) return "two neighbours of one role";
    if (auto fault = fault_of(message); !fault.empty()) return fault;
    if (ids_of_results(message) != open) return "results that do not fit the calls before";
    open = ids_of_calls(message);
    for (const std::string& id : open) {
      if (!ids.insert(id).second) return "an id twice";
    }
  }
  return {};
}

// A text that is equal for equal messages.
std::string dump(const Block& block) {
  if (const auto* text = std::get_if<TextBlock>(&block)) return "text " + text->text;
  if (const auto* thought = std::get_if<ThinkingBlock>(&block))
    return "thought " + thought->thinking;
  if (const auto* call = std::get_if<ToolUseBlock>(&block)) return call->id + call->input.dump();
  const auto* answer = std::get_if<ToolResultBlock>(&block);
  if (answer == nullptr) return "image";
  std::string all = "result " + answer->tool_use_id;
  for (const ToolContent& part : answer->content) {
    const auto* text = std::get_if<TextBlock>(&part);
    all += text != nullptr ? " " + text->text : " image";
  }
  return all;
}

std::string dump(const View& view) {
  std::string all;
  for (const MessagePtr& message : view) {
    all += message->role == Role::user ? "user\n" : "assistant\n";
    for (const Block& block : message->blocks) all += dump(block) + "\n";
  }
  return all;
}

// A session that goes wrong in all the ways it may.
class Session {
 public:
  explicit Session(unsigned seed) : dice_(seed) { history_.append(user("go")); }

  void step() {
    switch (dice_.below(10)) {
      case 0:
        return say(Role::user);
      case 1:
      case 2:
        return say(Role::assistant);
      case 3:
        return change();
      default:
        return turn();
    }
  }

  const History& history() const { return history_; }
  std::size_t changes() const { return changes_; }
  Dice& dice() { return dice_; }

 private:
  std::string text() {
    constexpr const char* kOdd[] = {"", " \n", "\xFF", "<context kind=\"note\">"};
    if (dice_.one_in(8)) return kOdd[dice_.below(4)] + std::string(dice_.one_in(2) ? "" : "x");
    return std::string(static_cast<std::size_t>(dice_.below(400)) + 1, 'x');
  }

  void say(Role role) {
    Message message{role, {}};
    if (role == Role::assistant && dice_.one_in(2)) message.blocks.emplace_back(thinking());
    if (role == Role::assistant ? dice_.one_in(2) : true) {
      message.blocks.emplace_back(TextBlock{text()});
    }
    if (role == Role::user && dice_.one_in(3)) {
      message.blocks.emplace_back(ImageBlock{"image/png", "QQ"});
    }
    history_.append(std::move(message));
  }

  ThinkingBlock thinking() { return {dice_.one_in(3) ? "" : "hm", "signature"}; }

  void turn() {
    Message message{Role::assistant, {}};
    if (dice_.one_in(2)) message.blocks.emplace_back(thinking());
    if (dice_.one_in(2)) message.blocks.emplace_back(TextBlock{text()});
    std::vector<std::string> ids;
    for (int i = dice_.below(4); i >= 0; --i) ids.push_back("t" + std::to_string(++calls_));
    for (const std::string& id : ids) {
      message.blocks.emplace_back(ToolUseBlock{id, "Read", {{"path", text().size()}}});
    }
    history_.append(std::move(message));
    if (dice_.one_in(6)) return;    // crashed, or cut: the results are made up later
    if (dice_.one_in(8)) change();  // while calls are open
    Message answer{Role::user, {}};
    for (const std::string& id : ids) {
      if (dice_.one_in(8)) continue;
      answer.blocks.emplace_back(result(id, text()));
      if (dice_.one_in(4)) {
        std::get<ToolResultBlock>(answer.blocks.back())
            .content.emplace_back(ImageBlock{"image/png", "QQ"});
      }
    }
    if (dice_.one_in(3)) answer.blocks.insert(answer.blocks.begin(), TextBlock{text()});
    history_.append(std::move(answer));
  }

  void change() {
    const View& view = history_.view();
    switch (dice_.below(5)) {
      case 0:
        changes_ += history_.clear_old_outputs(dice_.below(300), dice_.below(50)) > 0 ? 1 : 0;
        return;
      case 1:
        changes_ += history_.replace_images("[an image]") ? 1 : 0;
        return;
      case 2:
        changes_ += history_.strip_thinking() ? 1 : 0;
        return;
      case 3:
        changes_ += history_.compact(
            summary_head("sum", last_request(view), {.summary = 20'000, .request = 20'000}),
            choose_tail(view, dice_.below(600)));
        return;
      default:
        changes_ += history_.compact({TextBlock{"sum"}}, static_cast<std::size_t>(dice_.below(30)));
        return;
    }
  }

  Dice dice_;
  History history_;
  int calls_ = 0;
  std::size_t changes_ = 0;
};

StoredHistory whole(const History& lived) {
  return {.log = lived.log(), .changes = lived.changes()};
}

// What a store reads of a session whose log is too long to be read.
StoredHistory from_last_compaction(const History& lived) {
  StoredHistory stored = whole(lived);
  for (std::size_t i = 0; i < lived.changes().size(); ++i) {
    const RecordedChange& change = lived.changes()[i];
    if (change.view.empty()) continue;
    stored = {.view = change.view, .log_begin = change.log_size, .changes_begin = i + 1};
  }
  const auto rest = static_cast<std::ptrdiff_t>(stored.log_begin);
  stored.log.assign(lived.log().begin() + rest, lived.log().end());
  for (auto before = lived.log().begin(); before != lived.log().begin() + rest; ++before) {
    for (const std::string& id : tool_use_ids(**before)) stored.earlier_calls.push_back(id);
  }
  const auto later = static_cast<std::ptrdiff_t>(stored.changes_begin);
  stored.changes.assign(lived.changes().begin() + later, lived.changes().end());
  return stored;
}

}  // namespace

TEST_CASE("the checker itself refuses what it must") {
  CHECK(fault_of(view_of({user("a"), calls({"t"}), results({"t"})})).empty());
  CHECK_FALSE(fault_of(view_of({said("a")})).empty());
  CHECK_FALSE(fault_of(view_of({user("a"), user("b")})).empty());
  CHECK_FALSE(fault_of(view_of({user("a"), calls({"t"}), user("b")})).empty());
  CHECK_FALSE(fault_of(view_of({results({"t"})})).empty());
  CHECK_FALSE(fault_of(view_of({user(" ")})).empty());
  CHECK_FALSE(fault_of(view_of({user("\xFF")})).empty());
  CHECK_FALSE(fault_of(view_of({{Role::user, {}}})).empty());
  CHECK_FALSE(
      fault_of(view_of({user("a"), calls({"t"}), {Role::user, {TextBlock{"b"}, result("t")}}}))
          .empty());
}

TEST_CASE("random histories keep the rules after every change") {
  std::size_t changes = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Session session(seed);
    for (int step = 0; step < 40; ++step) {
      CAPTURE(step);
      const std::size_t logged = session.history().log().size();
      session.step();
      const View& view = session.history().view();
      REQUIRE(fault_of(view) == "");
      REQUIRE(session.history().log().size() >= logged);
      REQUIRE(session.history().tokens().tokens() >= estimate(view));
      const SummaryRequest request{
          rounds_to_drop(view, session.dice().below(2000)), {}, session.dice().one_in(2)};
      const View asked = summary_request(view, request);
      REQUIRE(fault_of(asked) == "");
      REQUIRE(ids_of_calls(*asked.back()).empty());
    }
    const History& lived = session.history();
    for (const StoredHistory& stored : {whole(lived), from_last_compaction(lived)}) {
      History loaded = History::restored(stored);
      REQUIRE(dump(loaded.view()) == dump(lived.view()));
      REQUIRE(loaded.log_size() == lived.log_size());
      REQUIRE(loaded.changes_size() == lived.changes_size());
      REQUIRE_FALSE(loaded.claim_tool_use_id("t1"));
    }
    changes += session.changes();
  }
  CHECK(changes > 1000);
}
