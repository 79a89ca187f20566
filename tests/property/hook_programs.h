// Hooks as a user's settings name them, drawn at random: real programs that answer, object, change
// the input, talk nonsense, die, flood, or hang until they are killed.
#pragma once

#include "message/message.h"
#include "property/random_mind.h"

namespace agentd::test {

/// The value of `hooks` in a settings file: two to seven of them.
Json random_hook_settings(RandomMind& choice);

}  // namespace agentd::test
