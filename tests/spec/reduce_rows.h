// Reductions and scans of every type in one form, with their expected results.
//
// Values are passed as `long double _Complex`, which represents every value of every type exactly: 64-bit integers,
// long double, complex. Needs a long double with at least 64 bits of mantissa.
#pragma once

#include <float.h>
#include "symmetric.h"
#include "teams.h"
#include "types.h"

_Static_assert(LDBL_MANT_DIG >= 64, "the oracle needs a long double that holds 64-bit integers");

typedef long double _Complex value;

enum reduce_op { OP_AND, OP_OR, OP_XOR, OP_MAX, OP_MIN, OP_SUM, OP_PROD };
static const char* const reduce_op_names[] = {"and", "or", "xor", "max", "min", "sum", "prod"};

enum type_class { SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING, COMPLEX };

struct reduction {
  const char* type;
  enum reduce_op op;
  enum type_class class;
  size_t element;
  int (*call)(shmem_team_t team, void* dest, const void* source, size_t nreduce);
  void (*store)(void* array, size_t i, value v);
  value (*load)(const void* array, size_t i);
};

#define CLASS_OF(TYPE)                                        \
  _Generic((TYPE)0,                                           \
      float: FLOATING,                                        \
      double: FLOATING,                                       \
      long double: FLOATING,                                  \
      float _Complex: COMPLEX,                                \
      double _Complex: COMPLEX,                               \
      char: (char)-1 < 0 ? SIGNED_INTEGER : UNSIGNED_INTEGER, \
      signed char: SIGNED_INTEGER,                            \
      short: SIGNED_INTEGER,                                  \
      int: SIGNED_INTEGER,                                    \
      long: SIGNED_INTEGER,                                   \
      long long: SIGNED_INTEGER,                              \
      default: UNSIGNED_INTEGER)

#define VALUE_ACCESS(NAME, TYPE)                                                    \
  static void store_##NAME(void* a, size_t i, value v) { ((TYPE*)a)[i] = (TYPE)v; } \
  static value load_##NAME(const void* a, size_t i) { return (value)((const TYPE*)a)[i]; }
ARITHMETIC_REDUCE_TYPES(VALUE_ACCESS)

static inline uint64_t value_bits(value v) {
  const long double real = creall(v);
  return real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
}

// The bit operations work modulo 2^bits; the result is converted to the type.
static inline value bits_value(uint64_t bits, enum type_class class, size_t element) {
  const unsigned drop = (unsigned)(64 - 8 * element);
  if (class == SIGNED_INTEGER) return (value)(long double)((int64_t)(bits << drop) >> drop);
  return (value)(long double)(bits << drop >> drop);
}

static inline value combine(const struct reduction* r, value a, value b) {
  const uint64_t x = r->op <= OP_XOR ? value_bits(a) : 0, y = r->op <= OP_XOR ? value_bits(b) : 0;
  switch (r->op) {
    case OP_AND: return bits_value(x & y, r->class, r->element);
    case OP_OR: return bits_value(x | y, r->class, r->element);
    case OP_XOR: return bits_value(x ^ y, r->class, r->element);
    case OP_MAX: return creall(a) >= creall(b) ? a : b;
    case OP_MIN: return creall(a) <= creall(b) ? a : b;
    case OP_SUM: return a + b;
    case OP_PROD: return a * b;
  }
  return 0;
}

// Element i that member `pe` contributes. Sums and products of up to 8 PEs are small enough to be exact in every type
// and order. Max and min use both ends of the type's range, where a comparison as the wrong type shows.
static inline value contribution(const struct reduction* r, int pe, size_t i) {
  const int small = (int)((size_t)pe * 5 + i * 3) % 7;
  if (r->op == OP_SUM && r->class == COMPLEX) return (value)small + (value)(pe - 2) * _Complex_I;
  if (r->op == OP_SUM) return r->class == UNSIGNED_INTEGER ? (value)small : (value)(small - 3);
  if (r->op == OP_PROD && r->class == COMPLEX) return (value)(1 + (int)i % 2) + (value)_Complex_I * (pe % 2);
  if (r->op == OP_PROD) return (value)(((size_t)pe + i) % 3 == 0 ? 2 : 1);
  if (r->class == FLOATING) return (value)((small - 3) * 1.25L);
  const uint64_t top = (uint64_t)1 << (8 * r->element - 1);
  const uint64_t bits = ((size_t)pe + i) % 2 ? top + (uint64_t)small : top - 1 - (uint64_t)(small + pe);
  return bits_value(i % 5 ? bits : (uint64_t)small * 0x0123456789abcdefu, r->class, r->element);
}

static inline int same_value(value a, value b) { return creall(a) == creall(b) && cimagl(a) == cimagl(b); }

// Every operation on every type it is defined for, by macros of the program:
// REDUCTION_CALLS makes CALL(NAME, OP), REDUCTION_ROWS makes ROW(NAME, TYPE, ENUM, OP) of each.
#define BITWISE_CALLS(NAME, TYPE) CALL(NAME, and) CALL(NAME, or) CALL(NAME, xor)
#define ORDERED_CALLS(NAME, TYPE) CALL(NAME, max) CALL(NAME, min)
#define ARITHMETIC_CALLS(NAME, TYPE) CALL(NAME, sum) CALL(NAME, prod)
#define REDUCTION_CALLS               \
  BITWISE_REDUCE_TYPES(BITWISE_CALLS) \
  ORDERED_REDUCE_TYPES(ORDERED_CALLS) \
  ARITHMETIC_REDUCE_TYPES(ARITHMETIC_CALLS)
#define BITWISE_ROWS(NAME, TYPE) ROW(NAME, TYPE, OP_AND, and) ROW(NAME, TYPE, OP_OR, or) ROW(NAME, TYPE, OP_XOR, xor)
#define ORDERED_ROWS(NAME, TYPE) ROW(NAME, TYPE, OP_MAX, max) ROW(NAME, TYPE, OP_MIN, min)
#define ARITHMETIC_ROWS(NAME, TYPE) ROW(NAME, TYPE, OP_SUM, sum) ROW(NAME, TYPE, OP_PROD, prod)
#define REDUCTION_ROWS               \
  BITWISE_REDUCE_TYPES(BITWISE_ROWS) \
  ORDERED_REDUCE_TYPES(ORDERED_ROWS) \
  ARITHMETIC_REDUCE_TYPES(ARITHMETIC_ROWS)
