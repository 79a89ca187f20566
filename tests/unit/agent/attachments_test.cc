// What the engine adds of its own accord: only what the model is shown is announced, and what had
// no room comes later.
#include <doctest/doctest.h>

#include <set>

#include "support/agent_rig.h"

using namespace agentd;
using namespace agentd::agent;
using agentd::model::StopReason;
using agentd::test::AgentRig;
using agentd::test::ReplyBuilder;

namespace {

constexpr int kFiles = 60;

// So long that fewer than all of them have room.
std::string path_of(int number) {
  std::string path = "/nowhere/" + std::to_string(number);
  for (int i = 0; i < 30; ++i) path += "/" + std::string(100, 'x');
  return path;
}

std::set<std::string> announced(AgentRig& rig) {
  std::set<std::string> titles;
  for (const auto& attachment : rig.sink().all<Attachment>()) {
    if (attachment.kind == AttachmentKind::changed_file) titles.insert(attachment.title);
  }
  return titles;
}

// The files that the model is told of in the last message of a request.
std::set<std::string> told(const model::ModelRequest& request) {
  std::set<std::string> titles;
  for (const Block& block : request.messages.back()->blocks) {
    const auto* text = std::get_if<TextBlock>(&block);
    if (text == nullptr || !text->text.starts_with("<context kind=\"changed_file\"")) continue;
    const std::size_t begin = text->text.find("title=\"") + 7;
    titles.insert(text->text.substr(begin, text->text.find('"', begin) - begin));
  }
  return titles;
}

}  // namespace

TEST_CASE("what had no room is not announced, and comes with the next ones") {
  AgentRig rig;
  rig.add_tool("Look", true,
               [](const Json&, const tools::CallContext&) { return tools::text_outcome("x"); });
  for (int i = 0; i < kFiles; ++i) rig.conversation.read_set->remember(path_of(i), "text");
  rig.provider->mind = [](const model::ModelRequest&, std::size_t index) {
    if (index == 0) return ReplyBuilder().call("c1", "Look", "{}").stop(StopReason::tool_use).end();
    return ReplyBuilder().text("done").stop(StopReason::end_turn).end();
  };
  rig.start();
  rig.wait_end();
  const auto first = announced(rig);
  CHECK(first.size() > 10);
  CHECK(first.size() < kFiles);
  CHECK(told(rig.provider->request(1)) == first);

  rig.sink_owner = std::make_unique<test::RecordingSink>();
  rig.start("go on");
  rig.wait_end();
  const auto later = announced(rig);
  CHECK(told(rig.provider->request(2)) == later);
  std::set<std::string> all = first;
  all.insert(later.begin(), later.end());
  CHECK(all.size() == kFiles);
  CHECK(first.size() + later.size() == kFiles);
}
