#include "op/wait.hpp"

#include "op/wait_many.hpp"

namespace oshen::op {
namespace {

thread_local std::uint64_t random_state = 0x9e3779b97f4a7c15u;

}  // namespace

// xorshift64*. Its high bits have no pattern that a loop of the program could follow.
std::size_t draw(std::size_t n) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  const std::uint64_t high = random_state * 0x2545f4914f6cdd1du >> 32;
  return n <= UINT32_MAX ? high * n >> 32 : high % n;
}

const char* comparison_name(int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return "==";
    case SHMEM_CMP_NE: return "!=";
    case SHMEM_CMP_GT: return ">";
    case SHMEM_CMP_GE: return ">=";
    case SHMEM_CMP_LT: return "<";
    case SHMEM_CMP_LE: return "<=";
    default: return "?";
  }
}

}  // namespace oshen::op
