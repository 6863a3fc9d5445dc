// Every typed atomic in one form: values are passed as uint64_t, and an operation is a row of a table.
//
// A row has the meaning of the operation, and its calls (default context, own context, nonblocking), so that one test
// compares all of them with the same oracle: arithmetic modulo 2^bits.
#pragma once

#include "symmetric.h"
#include "types.h"

enum amo_op {
  AMO_FETCH,
  AMO_SET,
  AMO_SWAP,
  AMO_CSWAP,
  AMO_INC,
  AMO_FETCH_INC,
  AMO_ADD,
  AMO_FETCH_ADD,
  AMO_AND,
  AMO_FETCH_AND,
  AMO_OR,
  AMO_FETCH_OR,
  AMO_XOR,
  AMO_FETCH_XOR
};

static const char* const amo_op_names[] = {"fetch",     "set",      "swap",      "compare_swap", "inc",
                                           "fetch_inc", "add",      "fetch_add", "and",          "fetch_and",
                                           "or",        "fetch_or", "xor",       "fetch_xor"};

// `ctx` null: the routine without a context. `condition` matters to compare_swap only.
typedef uint64_t amo_call(const shmem_ctx_t* ctx, void* dest, uint64_t condition, uint64_t value, int pe);
// The nonblocking form: the old value is in `fetch` after the next quiet.
typedef void amo_nbi_call(const shmem_ctx_t* ctx, void* fetch, void* dest, uint64_t condition, uint64_t value, int pe);

struct amo {
  const char* type;
  enum amo_op op;
  size_t element;
  amo_call* call;
  uint64_t (*read)(const void*);
  void (*write)(void*, uint64_t);
};

static inline int amo_fetches(enum amo_op op) {
  return op != AMO_SET && op != AMO_INC && op != AMO_ADD && op != AMO_AND && op != AMO_OR && op != AMO_XOR;
}

static inline uint64_t amo_mask(size_t element) {
  return element == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * element)) - 1;
}

// The value of the object afterwards.
static inline uint64_t amo_result(enum amo_op op, uint64_t old, uint64_t condition, uint64_t value) {
  switch (op) {
    case AMO_FETCH: return old;
    case AMO_SET:
    case AMO_SWAP: return value;
    case AMO_CSWAP: return old == condition ? value : old;
    case AMO_INC:
    case AMO_FETCH_INC: return old + 1;
    case AMO_ADD:
    case AMO_FETCH_ADD: return old + value;
    case AMO_AND:
    case AMO_FETCH_AND: return old & value;
    case AMO_OR:
    case AMO_FETCH_OR: return old | value;
    case AMO_XOR:
    case AMO_FETCH_XOR: return old ^ value;
  }
  return 0;
}

#define AMO_ACCESS(NAME, TYPE)                                                     \
  static uint64_t read_##NAME(const void* p) { return (uint64_t)*(const TYPE*)p; } \
  static void write_##NAME(void* p, uint64_t v) { *(TYPE*)p = (TYPE)v; }
EXTENDED_AMO_TYPES(AMO_ACCESS)
