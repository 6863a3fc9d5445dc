#include "base/sip.hpp"

#include <string.h>

#include <bit>

namespace oshen {
namespace {

struct state {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13);
    v1 ^= v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16);
    v3 ^= v2;
    v0 += v3;
    v3 = std::rotl(v3, 21);
    v3 ^= v0;
    v2 += v1;
    v1 = std::rotl(v1, 17);
    v1 ^= v2;
    v2 = std::rotl(v2, 32);
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  std::uint64_t result() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

// Little-endian, as in the reference implementation.
std::uint64_t word_at(const unsigned char* p, std::size_t bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes; ++i) word |= static_cast<std::uint64_t>(p[i]) << (8 * i);
  return word;
}

}  // namespace

sip_sum sip(const sip_key& key, const void* text, std::size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(text);
  state s{key.word[0] ^ 0x736f6d6570736575u, key.word[1] ^ 0x646f72616e646f6du ^ 0xee,
          key.word[0] ^ 0x6c7967656e657261u, key.word[1] ^ 0x7465646279746573u};
  std::size_t done = 0;
  for (; done + 8 <= bytes; done += 8) s.take(word_at(p + done, 8));
  s.take(word_at(p + done, bytes - done) | static_cast<std::uint64_t>(bytes) << 56);
  s.v2 ^= 0xee;
  sip_sum sum;
  sum.word[0] = s.result();
  s.v1 ^= 0xdd;
  sum.word[1] = s.result();
  return sum;
}

}  // namespace oshen
