// Scripts: a model that plays what a text file says, through the same ModelEvents as a real one,
// without key or network. For people who develop editor plugins, for tests, and for `demo`, whose
// script (demo.script) is compiled in.
//
// A script is lines. Indentation and empty lines mean nothing, `#` begins a comment line. Each
// `reply` begins one reply; for every request the first reply whose `when` lines all hold is
// played. A reply without `when` whose calls never end the matter loops: its results come back, it
// holds again, and calls again. Give such a reply `when results 0`, or set maxTurns.
//
//   reply
//     when prompt has README.md           the user's last words hold it (case aside) ...
//     when prompt has title | heading     ... or one of these
//     when prompt lacks delete            ... or none of these
//     when prompt quotes                  ... or a text in quotes of any kind, not a file name;
//                                         `quotes nothing`: or none
//     when results 0                      tool results since the user's last words
//     when result ok                      the last result: ok or failed
//     when result has lines               ... shows lines of a file, as Read does; `has no lines`
//     when first line starts "# "         ... and the first of them begins so, or `is` this
//     when retry                          the same request failed before; `when first try`
//     when summed up                      the conversation was compacted
//     when images                         an image is in it, `no images`: or none
//     when thinking                       thinking is in it, `no thinking`: or none
//     when output limit 8192              the reply may have so many tokens, or fewer
//     delay 20                            milliseconds before each further piece (default 0)
//     thinking I should look first.       streamed in words
//     text I will read it.                streamed in words; neighbouring lines are one block
//     call Read {"file_path": "a.txt"}    a tool call; its input is one JSON object on this line
//     usage 1200 35                       input and output tokens
//     stop max_tokens                     default: tool_use after a call, else end_turn
//   reply
//     fail 529 Overloaded                 instead: the request fails with this status
//     retry-after 2                       ... and says so, in seconds
//   reply
//     text It breaks off
//     cut                                 the stream ends here, without a stop
//
// In texts and in the strings of inputs stand, replaced when the reply is played:
//
//   ${prompt}            the user's last words
//   ${quoted}            what they quote: "...", `...`, and the quotes of Chinese
//   ${word README.md}    the word of theirs that ends like this: a path
//   ${directory}         the name of the working directory
//   ${title}             ${quoted}, or ${directory} where nothing is quoted
//   ${result}            the text of the last tool result; ${result 1}: of the first
//   ${first line}        of the file the last result shows
//   ${head}              its first lines, as many as stand there only once: for Edit
//   ${head rest}         what of ${head} follows the first line, its line end included
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "model/provider.h"
#include "model/script.h"

namespace agentd::model {

/// Plays `script`, one step per timer of `clock`, which outlives the provider.
std::shared_ptr<Provider> make_scripted(Script script, Clock& clock);

/// The text of demo.script.
std::string_view demo_script();

}  // namespace agentd::model
