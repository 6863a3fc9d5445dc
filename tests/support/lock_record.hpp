// Records the locks that a thread takes. The linker passes the calls of this program to the functions __wrap_ (--wrap),
// which separate_test.cpp defines.
#pragma once

#include <cstddef>
#include <set>

namespace oshen::testing {

struct lock_record {
  std::set<const void*> locks;
  std::size_t acquisitions = 0;
};
inline thread_local lock_record* recording = nullptr;

inline void record(const void* lock) {
  lock_record* const to = recording;
  if (to == nullptr) return;
  recording = nullptr;  // the record may allocate memory
  to->locks.insert(lock);
  ++to->acquisitions;
  recording = to;
}

}  // namespace oshen::testing
