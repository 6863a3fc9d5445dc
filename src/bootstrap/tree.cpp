#include "bootstrap/tree.hpp"

#include <stdlib.h>

#include <cstddef>

namespace oshen::bootstrap {
namespace {

// A list of PEs in order. Each PE is the parent of up to `tree_degree` later PEs, after the children of its
// predecessors.
class family {
 public:
  // Adds a PE, and returns its parent; -1 for the first. `next[pe]` is the member after `pe`.
  int join(int pe, int* next) {
    if (n_++ == 0) {
      parent_ = last_ = pe;
      return -1;
    }
    next[last_] = pe;
    last_ = pe;
    if (n_children_ == tree_degree) {
      parent_ = next[parent_];
      n_children_ = 0;
    }
    ++n_children_;
    return parent_;
  }

 private:
  int n_, parent_, last_, n_children_;  // zero in memory from calloc
};

}  // namespace

bool plan_tree(const int* hosts, int n_pes, int* parents) {
  const auto n = static_cast<std::size_t>(n_pes);
  auto* of_host = static_cast<family*>(calloc(n, sizeof(family)));
  auto* next = static_cast<int*>(calloc(2 * n, sizeof(int)));
  family leaders{};
  const bool has_memory = of_host != nullptr && next != nullptr;
  for (int pe = 0; has_memory && pe < n_pes; ++pe) {
    parents[pe] = of_host[hosts[pe]].join(pe, next);
    if (parents[pe] < 0) parents[pe] = leaders.join(pe, next + n);
  }
  free(of_host);
  free(next);
  return has_memory;
}

}  // namespace oshen::bootstrap
