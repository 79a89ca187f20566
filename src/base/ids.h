// Ids: where new identifiers come from. An interface, so that runs can be replayed with the same
// names; the real one draws from the kernel's random source.
#pragma once

#include <string>
#include <string_view>

namespace agentd {

class Ids {
 public:
  virtual ~Ids() = default;
  /// A new id, unique for all practical purposes: `prefix` + '_' + 20 letters and digits.
  /// Any thread.
  virtual std::string next(std::string_view prefix) = 0;
};

class RandomIds final : public Ids {
 public:
  std::string next(std::string_view prefix) override;
};

}  // namespace agentd
