// SipHash-2-4 with 128 bits of result (Aumasson, Bernstein 2012): a keyed sum that only who has the key can make.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen {

struct sip_key {
  std::uint64_t word[2];
};
using sip_sum = sip_key;  // a sum may serve as a key

sip_sum sip(const sip_key& key, const void* text, std::size_t bytes);

// In a time that does not depend on where they differ.
constexpr bool same_sum(const sip_sum& a, const sip_sum& b) {
  return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1])) == 0;
}

}  // namespace oshen
