#include "support/decoder_rig.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace agentd::test {

AssembledReply decode(const MakeDecoder& make, std::string_view body, const NextSize& next_size) {
  const auto decoder = make();
  AssembledReply reply;
  while (!body.empty()) {
    const std::string chunk(body.substr(0, next_size()));
    body.remove_prefix(chunk.size());
    model::ModelEvents events;
    decoder->feed(chunk, events);
    reply.take(events);
  }
  model::ModelEvents events;
  decoder->finish(events, std::nullopt);
  reply.take(events);
  CHECK(reply.broken.empty());
  return reply;
}

AssembledReply decode_whole(const MakeDecoder& make, std::string_view body) {
  return decode(make, body, [] { return std::string_view::npos; });
}

void check_every_cut(const StreamCase& one, const MakeDecoder& make, const MakeDecoder& other) {
  CAPTURE(one.name);
  const AssembledReply whole = decode_whole(make, one.body);
  for (const std::string& difference : differences(one, whole)) {
    FAIL_CHECK(one.name << ": " << difference << "\n" << whole.summary());
  }
  const std::string expected = whole.summary();
  CHECK(decode_whole(other, one.body).summary() == expected);
  CHECK(decode(make, one.body, [] { return std::size_t{1}; }).summary() == expected);
  std::mt19937 random(20260115);
  const auto cut = [&] { return std::uniform_int_distribution<std::size_t>(1, 90)(random); };
  for (int round = 0; round < 20; ++round) {
    CHECK(decode(make, one.body, cut).summary() == expected);
  }
}

}  // namespace agentd::test
