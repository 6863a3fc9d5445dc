#include "op/wait.hpp"

#include "op/wait_many.hpp"

namespace oshen::op {
namespace {

thread_local unsigned searches = 0;

}  // namespace

unsigned next_start() { return searches++; }

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
