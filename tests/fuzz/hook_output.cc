// Fuzz: any bytes as what a hook wrote, at any event and with any exit code. One that exits with 2
// objects whatever it wrote; any other that is broken decides nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/utf8.h"
#include "hooks/output.h"

namespace {

using namespace agentd;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  constexpr int kEvents = static_cast<int>(hooks::Event::stop) + 1;
  const auto event = static_cast<hooks::Event>(data[0] % kEvents);
  const std::string text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t half = text.size() * data[2] / 256;
  platform::CommandEnd end;
  end.exit_code = data[1] % 4;
  end.standard_output.head = text.substr(0, half);
  end.standard_error.head = text.substr(half);
  const hooks::HookVerdict verdict = hooks::read_verdict(event, end);
  for (const std::string* said : {&verdict.reason, &verdict.stop_reason, &verdict.context,
                                  &verdict.system_message, &verdict.shown}) {
    require(utf8::valid(*said));
  }
  const bool decides = verdict.block || verdict.permission || verdict.stop || verdict.updated_input;
  if (verdict.outcome == hooks::HookOutcome::broken) require(!decides);
  if (verdict.permission == hooks::PermissionDecision::deny) require(!verdict.reason.empty());
  return 0;
}
