// The functions that code compiled with -fsanitize=thread calls. The compilers document their names and types by the
// thread sanitizer, whose run-time library this one replaces.
#include <cstring>
#include <utility>

#include "plain.hpp"

using races::of_this_pe;

#define CALLER __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void*) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_ignore_thread_begin() {}
EXPORT void __tsan_ignore_thread_end() {}

// One cache line has all that an access to private memory runs.
#define ACCESS EXPORT __attribute__((aligned(64)))
#define ACCESSES(n)                                                                                    \
  ACCESS void __tsan_read##n(void* a) { races::plain_access<n, false>(a, CALLER); }                    \
  ACCESS void __tsan_write##n(void* a) { races::plain_access<n, true>(a, CALLER); }                    \
  ACCESS void __tsan_unaligned_read##n(void* a) { races::plain_access<n, false>(a, CALLER); }          \
  ACCESS void __tsan_unaligned_write##n(void* a) { races::plain_access<n, true>(a, CALLER); }          \
  ACCESS void __tsan_volatile_read##n(void* a) { races::plain_access<n, false>(a, CALLER); }           \
  ACCESS void __tsan_volatile_write##n(void* a) { races::plain_access<n, true>(a, CALLER); }           \
  ACCESS void __tsan_unaligned_volatile_read##n(void* a) { races::plain_access<n, false>(a, CALLER); } \
  ACCESS void __tsan_unaligned_volatile_write##n(void* a) { races::plain_access<n, true>(a, CALLER); } \
  ACCESS void __tsan_read_write##n(void* a) { races::plain_access<n, true>(a, CALLER); }               \
  ACCESS void __tsan_unaligned_read_write##n(void* a) { races::plain_access<n, true>(a, CALLER); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT void __tsan_vptr_read(void** a) { races::plain_access<sizeof(void*), false>(a, CALLER); }
EXPORT void __tsan_vptr_update(void** a, void*) { races::plain_access<sizeof(void*), true>(a, CALLER); }

// Ranges, and the block copies of newer compilers. library_calls.cpp has those of the program.
namespace {

void copies(const void* to, const void* from, std::size_t n, const void* caller) {
  races::touch_block(from, n, false, races::a_copy_from, caller);
  races::touch_block(to, n, true, races::a_copy_to, caller);
}

}  // namespace

EXPORT void __tsan_read_range(void* a, unsigned long n) { races::touch_block(a, n, false, races::a_load, CALLER); }
EXPORT void __tsan_write_range(void* a, unsigned long n) { races::touch_block(a, n, true, races::a_store, CALLER); }
EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  copies(to, from, n, CALLER);
  return std::memcpy(to, from, n);
}
EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  copies(to, from, n, CALLER);
  return std::memmove(to, from, n);
}
EXPORT void* __tsan_memset(void* to, int c, std::size_t n) {
  races::touch_block(to, n, true, races::a_fill, CALLER);
  return std::memset(to, c, n);
}

// ---- atomic operations of the language. They order like atomics of OpenSHMEM, and race with nothing.

namespace {

void before_atomic(const void* a, std::size_t n, bool writes, const void* caller) {
  if (!of_this_pe.active()) return;
  const races::location where = of_this_pe.find(a);
  if (!where) {
    if (writes && races::several_threads()) races::release_to_threads(a);
    return;
  }
  const std::scoped_lock lock(of_this_pe.mutex());
  if (writes) of_this_pe.release(where, n, {.site = races::site_of(races::a_store, caller, n)});
}
void after_atomic(const void* a, std::size_t n) {
  if (!of_this_pe.active()) return;
  const races::location where = of_this_pe.find(a);
  if (!where) {
    if (races::several_threads()) races::acquire_from_threads(a);
    return;
  }
  const std::scoped_lock lock(of_this_pe.mutex());
  of_this_pe.acquire(where, n);
}

template <class T, class Use>
T around(volatile T* a, bool writes, const void* caller, Use use) {
  before_atomic(const_cast<const T*>(a), sizeof(T), writes, caller);
  const T result = use();
  after_atomic(const_cast<const T*>(a), sizeof(T));
  return result;
}

}  // namespace

// The order that the program names is raised to the strongest one.
#define FETCHES(bits, T, operation)                                                                     \
  EXPORT T __tsan_atomic##bits##_fetch_##operation(volatile T* a, T v, int) {                           \
    return around(a, true, CALLER, [&] { return __atomic_fetch_##operation(a, v, __ATOMIC_SEQ_CST); }); \
  }
#define COMPARES(bits, T, name, weak)                                                                       \
  EXPORT int __tsan_atomic##bits##_compare_exchange_##name(volatile T* a, T* expected, T v, int, int) {     \
    before_atomic(const_cast<const T*>(a), sizeof(T), true, CALLER);                                        \
    const int done = __atomic_compare_exchange_n(a, expected, v, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    after_atomic(const_cast<const T*>(a), sizeof(T));                                                       \
    return done;                                                                                            \
  }
#define ATOMICS(bits, T)                                                                                            \
  EXPORT T __tsan_atomic##bits##_load(const volatile T* a, int) {                                                   \
    return around(const_cast<volatile T*>(a), false, CALLER, [&] { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }); \
  }                                                                                                                 \
  EXPORT void __tsan_atomic##bits##_store(volatile T* a, T v, int) {                                                \
    before_atomic(const_cast<const T*>(a), sizeof(T), true, CALLER);                                                \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                                       \
  }                                                                                                                 \
  EXPORT T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) {                                                \
    return around(a, true, CALLER, [&] { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); });                    \
  }                                                                                                                 \
  FETCHES(bits, T, add)                                                                                             \
  FETCHES(bits, T, sub)                                                                                             \
  FETCHES(bits, T, and)                                                                                             \
  FETCHES(bits, T, or)                                                                                              \
  FETCHES(bits, T, xor)                                                                                             \
  FETCHES(bits, T, nand)                                                                                            \
  COMPARES(bits, T, strong, false)                                                                                  \
  COMPARES(bits, T, weak, true)                                                                                     \
  EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T expected, T v, int, int) {                   \
    return around(a, true, CALLER, [&] {                                                                            \
      T seen = expected;                                                                                            \
      __atomic_compare_exchange_n(a, &seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                          \
      return seen;                                                                                                  \
    });                                                                                                             \
  }
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

EXPORT void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
