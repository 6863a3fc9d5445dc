#include "oshrun/secret.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

template <class Value>
Value random_value() {
  Value out{};
  if (getrandom(&out, sizeof out, 0) != sizeof out) give_up(1, "cannot get random numbers: %s", std::strerror(errno));
  return out;
}

}  // namespace

std::string make_secret() {
  std::string text;
  for (const std::uint8_t byte : random_value<std::array<std::uint8_t, 16>>()) {
    text += "0123456789abcdef"[byte / 16];
    text += "0123456789abcdef"[byte % 16];
  }
  return text;
}

int make_port() { return 20000 + random_value<std::uint16_t>() % 12000; }

}  // namespace oshrun
