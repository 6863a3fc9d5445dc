// The wait and test families in one form: a row for each type, with comparison values as int64_t.
//
// A test takes a row, and so runs for each of the 12 types. `set` is the atomic that makes conditions true.
#pragma once

#include "symmetric.h"
#include "types.h"

struct wait_row {
  const char* type;
  size_t element;
  int is_signed;
  void (*set)(void* ivars, size_t i, int64_t value, int pe);
  void (*wait_until)(void* ivar, int cmp, int64_t value);
  int (*test)(void* ivar, int cmp, int64_t value);
  void (*wait_all)(void* ivars, size_t n, const int* status, int cmp, int64_t value);
  size_t (*wait_any)(void* ivars, size_t n, const int* status, int cmp, int64_t value);
  size_t (*wait_some)(void* ivars, size_t n, size_t* indices, const int* status, int cmp, int64_t value);
  int (*test_all)(void* ivars, size_t n, const int* status, int cmp, int64_t value);
  size_t (*test_any)(void* ivars, size_t n, const int* status, int cmp, int64_t value);
  size_t (*test_some)(void* ivars, size_t n, size_t* indices, const int* status, int cmp, int64_t value);
  // The vector forms compare element i with values[i], an array of the row's own type.
  void (*fill)(void* values, size_t i, int64_t value);
  void (*wait_all_vector)(void* ivars, size_t n, const int* status, int cmp, const void* values);
  size_t (*wait_any_vector)(void* ivars, size_t n, const int* status, int cmp, const void* values);
  size_t (*wait_some_vector)(void* ivars, size_t n, size_t* indices, const int* status, int cmp, const void* values);
  int (*test_all_vector)(void* ivars, size_t n, const int* status, int cmp, const void* values);
  size_t (*test_any_vector)(void* ivars, size_t n, const int* status, int cmp, const void* values);
  size_t (*test_some_vector)(void* ivars, size_t n, size_t* indices, const int* status, int cmp, const void* values);
};

#define WAIT_ONE(NAME, TYPE)                                                                       \
  static void set_##NAME(void* v, size_t i, int64_t x, int pe) {                                   \
    shmem_##NAME##_atomic_set((TYPE*)v + i, (TYPE)x, pe);                                          \
  }                                                                                                \
  static void fill_##NAME(void* v, size_t i, int64_t x) { ((TYPE*)v)[i] = (TYPE)x; }               \
  static void wait_##NAME(void* v, int c, int64_t x) { shmem_##NAME##_wait_until(v, c, (TYPE)x); } \
  static int test_##NAME(void* v, int c, int64_t x) { return shmem_##NAME##_test(v, c, (TYPE)x); }
STANDARD_AMO_TYPES(WAIT_ONE)

#define WAIT_MANY(NAME, TYPE)                                                                    \
  static void wait_all_##NAME(void* v, size_t n, const int* s, int c, int64_t x) {               \
    shmem_##NAME##_wait_until_all(v, n, s, c, (TYPE)x);                                          \
  }                                                                                              \
  static size_t wait_any_##NAME(void* v, size_t n, const int* s, int c, int64_t x) {             \
    return shmem_##NAME##_wait_until_any(v, n, s, c, (TYPE)x);                                   \
  }                                                                                              \
  static size_t wait_some_##NAME(void* v, size_t n, size_t* i, const int* s, int c, int64_t x) { \
    return shmem_##NAME##_wait_until_some(v, n, i, s, c, (TYPE)x);                               \
  }                                                                                              \
  static int test_all_##NAME(void* v, size_t n, const int* s, int c, int64_t x) {                \
    return shmem_##NAME##_test_all(v, n, s, c, (TYPE)x);                                         \
  }                                                                                              \
  static size_t test_any_##NAME(void* v, size_t n, const int* s, int c, int64_t x) {             \
    return shmem_##NAME##_test_any(v, n, s, c, (TYPE)x);                                         \
  }                                                                                              \
  static size_t test_some_##NAME(void* v, size_t n, size_t* i, const int* s, int c, int64_t x) { \
    return shmem_##NAME##_test_some(v, n, i, s, c, (TYPE)x);                                     \
  }
STANDARD_AMO_TYPES(WAIT_MANY)

#define WAIT_VECTOR(NAME, TYPE)                                                                             \
  static void wait_all_vector_##NAME(void* v, size_t n, const int* s, int c, const void* x) {               \
    shmem_##NAME##_wait_until_all_vector(v, n, s, c, x);                                                    \
  }                                                                                                         \
  static size_t wait_any_vector_##NAME(void* v, size_t n, const int* s, int c, const void* x) {             \
    return shmem_##NAME##_wait_until_any_vector(v, n, s, c, x);                                             \
  }                                                                                                         \
  static size_t wait_some_vector_##NAME(void* v, size_t n, size_t* i, const int* s, int c, const void* x) { \
    return shmem_##NAME##_wait_until_some_vector(v, n, i, s, c, x);                                         \
  }                                                                                                         \
  static int test_all_vector_##NAME(void* v, size_t n, const int* s, int c, const void* x) {                \
    return shmem_##NAME##_test_all_vector(v, n, s, c, x);                                                   \
  }                                                                                                         \
  static size_t test_any_vector_##NAME(void* v, size_t n, const int* s, int c, const void* x) {             \
    return shmem_##NAME##_test_any_vector(v, n, s, c, x);                                                   \
  }                                                                                                         \
  static size_t test_some_vector_##NAME(void* v, size_t n, size_t* i, const int* s, int c, const void* x) { \
    return shmem_##NAME##_test_some_vector(v, n, i, s, c, x);                                               \
  }
STANDARD_AMO_TYPES(WAIT_VECTOR)

#define WAIT_ROW(NAME, TYPE)                    \
  {.type = #NAME,                               \
   .element = sizeof(TYPE),                     \
   .is_signed = (TYPE) - 1 < (TYPE)1,           \
   .set = set_##NAME,                           \
   .fill = fill_##NAME,                         \
   .wait_until = wait_##NAME,                   \
   .test = test_##NAME,                         \
   .wait_all = wait_all_##NAME,                 \
   .wait_any = wait_any_##NAME,                 \
   .wait_some = wait_some_##NAME,               \
   .test_all = test_all_##NAME,                 \
   .test_any = test_any_##NAME,                 \
   .test_some = test_some_##NAME,               \
   .wait_all_vector = wait_all_vector_##NAME,   \
   .wait_any_vector = wait_any_vector_##NAME,   \
   .wait_some_vector = wait_some_vector_##NAME, \
   .test_all_vector = test_all_vector_##NAME,   \
   .test_any_vector = test_any_vector_##NAME,   \
   .test_some_vector = test_some_vector_##NAME},
static const struct wait_row wait_rows[] = {STANDARD_AMO_TYPES(WAIT_ROW)};

// Runs `check` for every type over both kinds of memory, with room for 64 zeroed variables.
enum { wait_room = 64 };
static inline void for_each_wait_row(void (*check)(const struct wait_row* row, void* ivars)) {
  for (int kind = 0; kind < MEMORY_KINDS; kind++)
    for (size_t i = 0; i < LENGTH(wait_rows); i++) {
      void* ivars = memory_take(kind, wait_room * sizeof(int64_t));
      check(&wait_rows[i], ivars);
      memory_give_back(kind, ivars);
    }
}
