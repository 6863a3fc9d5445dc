// The FNV-1a hash of a sequence of numbers: the key of a choice.
#pragma once

#include <cstdint>

namespace oshen::trials {

class fnv1a {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; byte++, number >>= 8) {
      value_ ^= number & 0xff;
      value_ *= 0x100000001b3u;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace oshen::trials
