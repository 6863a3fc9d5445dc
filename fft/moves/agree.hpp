// Collectives over a group, for use while transforms are made.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::fft {

// Gathers the bytes of every member, in order of member, into `all`. Collective.
oshen_status_t allgather(oshen_group_t* group, const void* mine, std::size_t bytes, void* all);

template <class Record>
oshen_status_t allgather(oshen_group_t* group, const Record& mine, std::vector<Record>& all) {
  static_assert(std::is_trivially_copyable_v<Record>);
  all.resize(static_cast<std::size_t>(oshen_group_size(group)));
  return allgather(group, &mine, sizeof mine, all.data());
}

// The worst value of all members, the same on each. Collective.
oshen_status_t worst_status(oshen_group_t* group, oshen_status_t mine);
double largest(oshen_group_t* group, double mine);

// Whether shmem_ptr reaches all of these members. Local.
bool reaches_partners(oshen_group_t* group, const std::vector<int>& partners);

}  // namespace oshen::fft
