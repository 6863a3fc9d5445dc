// Allocation of private memory. A block that is freed has no history: the next block there may be of another thread.
#include <malloc.h>

#include <cstdlib>

#include "interpose.hpp"
#include "openmp.hpp"

namespace {

void forget(void* block) {
  if (block != nullptr && races::of_this_pe.has_private())
    races::of_this_pe.forget_private(reinterpret_cast<std::uintptr_t>(block), malloc_usable_size(block));
}

}  // namespace

EXPORT void free(void* block) noexcept {
  static std::atomic<void (*)(void*)> next;
  forget(block);
  races::next_function(next, "free")(block);
}

// A block that moves is another one. One that stays keeps its history.
EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
  static std::atomic<void* (*)(void*, std::size_t)> next;
  const bool has_history = block != nullptr && races::of_this_pe.has_private();
  const std::size_t old_bytes = has_history ? malloc_usable_size(block) : 0;
  const auto old = reinterpret_cast<std::uintptr_t>(block);
  void* const made = races::next_function(next, "realloc")(block, bytes);
  if (has_history && made != nullptr && reinterpret_cast<std::uintptr_t>(made) != old)
    races::of_this_pe.forget_private(old, old_bytes);
  races::add_own_block(made, bytes);
  return made;
}

#define ALLOCATES(function, parameters, arguments, bytes)               \
  EXPORT void* function parameters noexcept {                           \
    static std::atomic<void*(*)parameters> next;                        \
    void* const made = races::next_function(next, #function) arguments; \
    races::add_own_block(made, bytes);                                  \
    return made;                                                        \
  }
ALLOCATES(malloc, (std::size_t bytes), (bytes), bytes)
ALLOCATES(calloc, (std::size_t n, std::size_t bytes), (n, bytes), n* bytes)
ALLOCATES(aligned_alloc, (std::size_t alignment, std::size_t bytes), (alignment, bytes), bytes)

EXPORT int posix_memalign(void** made, std::size_t alignment, std::size_t bytes) noexcept {
  static std::atomic<int (*)(void**, std::size_t, std::size_t)> next;
  const int outcome = races::next_function(next, "posix_memalign")(made, alignment, bytes);
  if (outcome == 0) races::add_own_block(*made, bytes);
  return outcome;
}

EXPORT int munmap(void* start, std::size_t bytes) noexcept {
  static std::atomic<int (*)(void*, std::size_t)> next;
  if (races::of_this_pe.has_private()) races::of_this_pe.forget_private(reinterpret_cast<std::uintptr_t>(start), bytes);
  return races::next_function(next, "munmap")(start, bytes);
}
