// SipHash-2-4 with a result of 128 bits (Aumasson, Bernstein 2012): a message authentication code, which cannot be
// computed without the key.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen {

struct sip_key {
  std::uint64_t word[2];
};
using sip_sum = sip_key;  // a sum may serve as a key

sip_sum sip(const sip_key& key, const void* text, std::size_t bytes);

// Takes the same time wherever the two differ.
constexpr bool same_sum(const sip_sum& a, const sip_sum& b) {
  return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1])) == 0;
}

}  // namespace oshen
