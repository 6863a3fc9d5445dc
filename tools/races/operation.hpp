#pragma once

#include <cstdint>

#include "clocks.hpp"

namespace races {

// The numbers that generate.py gives to the types of atomics. `any`: exclusive with all others.
enum class atomic_type : std::uint8_t {
  any,
  of_int,
  of_uint,
  of_long,
  of_ulong,
  of_longlong,
  of_ulonglong,
  of_float,
  of_double,
  of_signal
};

// One operation on memory, before it is split into cells.
struct operation {
  std::uint32_t site = 0;
  channel how = channel::program;
  std::uint32_t target = 0;
  bool writes = false, atomic = false, stores = false, buffer = false;
  bool fenced = false;  // a fence orders it after earlier puts to the same PE
  // Of an atomic: its type, and whether the team of its context descends from SHMEM_TEAM_SHARED.
  atomic_type type = atomic_type::any;
  bool shared_team = false;
};

}  // namespace races
