// The functions that code compiled with -fsanitize=thread calls. The compilers document their names and types by the
// thread sanitizer.
#include <cstdint>
#include <cstring>

#include "pe.hpp"

#define CALLER __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

void reads(const void* a, std::size_t n, const void* caller) { explore::pe::here().plain_access(a, n, false, caller); }
void writes(const void* a, std::size_t n, const void* caller) { explore::pe::here().plain_access(a, n, true, caller); }
void atomic_reads(const void* a, std::size_t n, const void* caller) {
  explore::pe::here().plain_access(a, n, false, caller, true);
}
void atomic_writes(const void* a, std::size_t n, const void* caller) {
  explore::pe::here().plain_access(a, n, true, caller, true);
}

}  // namespace

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void*) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_ignore_thread_begin() {}
EXPORT void __tsan_ignore_thread_end() {}

#define ACCESSES(n)                                                                        \
  EXPORT void __tsan_read##n(void* a) { reads(a, n, CALLER); }                             \
  EXPORT void __tsan_write##n(void* a) { writes(a, n, CALLER); }                           \
  EXPORT void __tsan_unaligned_read##n(void* a) { reads(a, n, CALLER); }                   \
  EXPORT void __tsan_unaligned_write##n(void* a) { writes(a, n, CALLER); }                 \
  EXPORT void __tsan_volatile_read##n(void* a) { reads(a, n, CALLER); }                    \
  EXPORT void __tsan_volatile_write##n(void* a) { writes(a, n, CALLER); }                  \
  EXPORT void __tsan_unaligned_volatile_read##n(void* a) { reads(a, n, CALLER); }          \
  EXPORT void __tsan_unaligned_volatile_write##n(void* a) { writes(a, n, CALLER); }        \
  EXPORT void __tsan_read_write##n(void* a) { reads(a, n, CALLER), writes(a, n, CALLER); } \
  EXPORT void __tsan_unaligned_read_write##n(void* a) { reads(a, n, CALLER), writes(a, n, CALLER); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT void __tsan_vptr_read(void** a) { reads(a, sizeof(void*), CALLER); }
EXPORT void __tsan_vptr_update(void** a, void*) { writes(a, sizeof(void*), CALLER); }
EXPORT void __tsan_read_range(void* a, unsigned long n) { reads(a, n, CALLER); }
EXPORT void __tsan_write_range(void* a, unsigned long n) { writes(a, n, CALLER); }

// ---- block copies of newer compilers

EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  reads(from, n, CALLER), writes(to, n, CALLER);
  return std::memcpy(to, from, n);
}
EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  reads(from, n, CALLER), writes(to, n, CALLER);
  return std::memmove(to, from, n);
}
EXPORT void* __tsan_memset(void* to, int c, std::size_t n) {
  writes(to, n, CALLER);
  return std::memset(to, c, n);
}

// ---- atomic operations of the language: a load, or a store that may also load

#define FETCHES(bits, T, operation)                                           \
  EXPORT T __tsan_atomic##bits##_fetch_##operation(volatile T* a, T v, int) { \
    atomic_writes(const_cast<const T*>(a), sizeof(T), CALLER);                \
    return __atomic_fetch_##operation(a, v, __ATOMIC_SEQ_CST);                \
  }
#define COMPARES(bits, T, name, weak)                                                                   \
  EXPORT int __tsan_atomic##bits##_compare_exchange_##name(volatile T* a, T* expected, T v, int, int) { \
    atomic_writes(const_cast<const T*>(a), sizeof(T), CALLER);                                          \
    return __atomic_compare_exchange_n(a, expected, v, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
  }
#define ATOMICS(bits, T)                                                                          \
  EXPORT T __tsan_atomic##bits##_load(const volatile T* a, int) {                                 \
    atomic_reads(const_cast<const T*>(a), sizeof(T), CALLER);                                     \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                               \
  EXPORT void __tsan_atomic##bits##_store(volatile T* a, T v, int) {                              \
    atomic_writes(const_cast<const T*>(a), sizeof(T), CALLER);                                    \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                               \
  EXPORT T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) {                              \
    atomic_writes(const_cast<const T*>(a), sizeof(T), CALLER);                                    \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                               \
  FETCHES(bits, T, add)                                                                           \
  FETCHES(bits, T, sub)                                                                           \
  FETCHES(bits, T, and)                                                                           \
  FETCHES(bits, T, or)                                                                            \
  FETCHES(bits, T, xor)                                                                           \
  FETCHES(bits, T, nand)                                                                          \
  COMPARES(bits, T, strong, false)                                                                \
  COMPARES(bits, T, weak, true)                                                                   \
  EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T expected, T v, int, int) { \
    atomic_writes(const_cast<const T*>(a), sizeof(T), CALLER);                                    \
    __atomic_compare_exchange_n(a, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    return expected;                                                                              \
  }
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

EXPORT void __tsan_atomic_thread_fence(int) {}
EXPORT void __tsan_atomic_signal_fence(int) {}
