// Waiting for a journal: once for each trouble, not with every call.
#include <doctest/doctest.h>

#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "agent/journal.h"

using namespace agentd;
using namespace agentd::agent;

namespace {

// Answers a question with what it is set to; holds it where that is nothing.
class AnsweringJournal final : public Journal {
 public:
  void keep(Conversation&) override {}
  void keep_state(const Conversation&) override {}
  void keep_block(int, const Block&) override {}
  void keep_result(const ToolResultBlock&) override {}
  void drop_reply() override {}
  void keep_start(const std::string&) override {}
  void sync(std::function<void(Result<void>)> done) override {
    ++asked;
    if (answer) return done(*answer);
    held.push_back(std::move(done));
  }

  std::optional<Result<void>> answer;
  std::vector<std::function<void(Result<void>)>> held;
  int asked = 0;
};

}  // namespace

TEST_CASE("a journal that keeps is asked each time") {
  AnsweringJournal journal;
  journal.answer = Result<void>();
  wait_until_kept(journal, {});
  wait_until_kept(journal, {});
  CHECK(journal.asked == 2);
  CHECK(journal.keeping() == Keeping::well);
}

TEST_CASE("one that failed is not waited for again until it keeps well") {
  AnsweringJournal journal;
  journal.answer = Result<void>(make_error(Code::io, "the disk is full"));
  wait_until_kept(journal, {});
  CHECK(journal.keeping() == Keeping::failed);
  wait_until_kept(journal, {});
  CHECK(journal.asked == 1);
  journal.set_keeping(Keeping::well);
  wait_until_kept(journal, {});
  CHECK(journal.asked == 2);
}

TEST_CASE("one that does not answer is late after its time; a late answer finds nobody") {
  AnsweringJournal journal;
  const auto began = std::chrono::steady_clock::now();
  wait_until_kept(journal, {});
  CHECK(std::chrono::steady_clock::now() - began >= kJournalPatience);
  CHECK(journal.keeping() == Keeping::late);
  wait_until_kept(journal, {});
  CHECK(journal.asked == 1);
  journal.held.at(0)({});
}

TEST_CASE("who is asked to stop does not wait, and holds nothing against the journal") {
  AnsweringJournal journal;
  std::stop_source stop;
  stop.request_stop();
  wait_until_kept(journal, stop.get_token());
  CHECK(journal.asked == 1);
  CHECK(journal.keeping() == Keeping::well);
}
