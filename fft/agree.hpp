// What the members of a group tell one another while something is made.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::fft {

// Every member's bytes, by member, into `all`. Collective.
oshen_status_t tell_all(oshen_group_t* group, const void* mine, std::size_t bytes, void* all);

template <class Record>
oshen_status_t tell_all(oshen_group_t* group, const Record& mine, std::vector<Record>& all) {
  static_assert(std::is_trivially_copyable_v<Record>);
  all.resize(static_cast<std::size_t>(oshen_group_size(group)));
  return tell_all(group, &mine, sizeof mine, all.data());
}

// The worst of all members' values, the same on each. Collective.
oshen_status_t worst(oshen_group_t* group, oshen_status_t mine);
double largest(oshen_group_t* group, double mine);

}  // namespace oshen::fft
