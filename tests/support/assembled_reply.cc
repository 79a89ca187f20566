#include "support/assembled_reply.h"

#include "base/utf8.h"

namespace agentd::test {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

bool fits(model::BlockKind block, model::DeltaKind delta) {
  switch (delta) {
    case model::DeltaKind::text:
      return block == model::BlockKind::text;
    case model::DeltaKind::thinking:
      return block == model::BlockKind::thinking;
    case model::DeltaKind::input:
      return block == model::BlockKind::tool_use;
  }
  return false;
}

}  // namespace

void AssembledReply::take(const model::ModelEvents& events) {
  for (const model::ModelEvent& event : events) take(event);
}

void AssembledReply::take(const model::ModelEvent& event) {
  if (ended) broken.emplace_back("an event after the end");
  const auto block_at = [&](int number) -> AssembledBlock* {
    if (number < 0 || static_cast<std::size_t>(number) >= blocks.size()) {
      broken.push_back("block " + std::to_string(number) + " was not begun");
      return nullptr;
    }
    return &blocks[static_cast<std::size_t>(number)];
  };
  std::visit(Overloaded{[&](const model::MessageBegan& began) { model = began.model; },
                        [&](const model::BlockBegan& began) {
                          if (began.block != static_cast<int>(blocks.size()))
                            broken.emplace_back("numbering");
                          AssembledBlock block;
                          block.kind = began.kind;
                          block.tool_use_id = began.tool_use_id;
                          block.tool_name = began.tool_name;
                          blocks.push_back(std::move(block));
                        },
                        [&](const model::Delta& delta) {
                          AssembledBlock* block = block_at(delta.block);
                          if (block == nullptr) return;
                          if (block->ended) broken.emplace_back("a delta after its block's end");
                          if (!fits(block->kind, delta.kind))
                            broken.emplace_back("a delta of another kind");
                          if (!utf8::valid(delta.text))
                            broken.emplace_back("a delta that is not UTF-8");
                          block->text += delta.text;
                        },
                        [&](const model::BlockEnded& end) {
                          AssembledBlock* block = block_at(end.block);
                          if (block == nullptr) return;
                          if (block->ended) broken.emplace_back("a block ended twice");
                          block->ended = true;
                          block->signature = end.signature;
                          block->data = end.data;
                        },
                        [&](const model::UsageTold& told) { usage = told.usage; },
                        [&](const model::StopTold& told) {
                          if (stop) broken.emplace_back("two stop reasons");
                          stop = told;
                        },
                        [&](const model::MessageEnded&) { ended = true; },
                        [&](const model::Failed& failed) {
                          ended = true;
                          failure = failed.failure;
                        }},
             event);
}

std::string AssembledReply::summary() const {
  std::string out = "model " + model + "\n";
  for (const AssembledBlock& block : blocks) {
    out += "block " + std::to_string(static_cast<int>(block.kind)) + " [" + block.tool_use_id +
           "] [" + block.tool_name + "] " + (block.ended ? "ended" : "open") +
           " text=" + block.text + " signature=" + block.signature.value_or("-") +
           " data=" + block.data + "\n";
  }
  const auto count = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) out += std::string(name) + " " + std::to_string(*value) + "\n";
  };
  count("input", usage.input_tokens);
  count("created", usage.cache_creation_input_tokens);
  count("read", usage.cache_read_input_tokens);
  count("output", usage.output_tokens);
  if (stop) out += "stop " + stop->wire + " " + stop->explanation + "\n";
  if (failure) {
    out +=
        "failed " + std::string(to_string(failure->failure_class)) + " " + failure->message + "\n";
  }
  out += ended ? "ended\n" : "not ended\n";
  for (const std::string& what : broken) out += "BROKEN " + what + "\n";
  return out;
}

}  // namespace agentd::test
