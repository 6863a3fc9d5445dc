#include "world/locality.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

namespace oshen {

int locality::search(int pe) const {
  const int* found = std::lower_bound(list, list + n_pes, pe);
  return found != list + n_pes && *found == pe ? static_cast<int>(found - list) : -1;
}

bool locality::set(const int* pes, int n, int own_pe) {
  close();
  n_pes = n;
  first = pes[0];
  if (pes[n - 1] - pes[0] != n - 1) {
    const auto bytes = static_cast<std::size_t>(n) * sizeof(int);
    auto* copy = static_cast<int*>(malloc(bytes));
    if (copy == nullptr) return false;
    memcpy(copy, pes, bytes);
    list = copy;
  }
  mine = slice_of(own_pe);
  return true;
}

void locality::close() {
  free(const_cast<int*>(list));
  list = nullptr;
}

}  // namespace oshen
