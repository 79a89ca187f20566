// DecoderRig: a decoder of any API fed with a body in chunks, and the promise that every decoder
// keeps: however the body is cut, the reply is the same.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "model/reply_decoder.h"
#include "support/assembled_reply.h"
#include "support/stream_case.h"

namespace agentd::test {

using MakeDecoder = std::function<std::unique_ptr<model::ReplyDecoder>()>;
using NextSize = std::function<std::size_t()>;  // of the next chunk, in bytes

/// The reply in `body`; the events keep the order that the border promises.
AssembledReply decode(const MakeDecoder& make, std::string_view body, const NextSize& next_size);
AssembledReply decode_whole(const MakeDecoder& make, std::string_view body);

/// The case whole is as it expects; `other` (the decoder without its short way), byte by byte and
/// random cuts give the same.
void check_every_cut(const StreamCase& one, const MakeDecoder& make, const MakeDecoder& other);

}  // namespace agentd::test
