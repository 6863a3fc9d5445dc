// The type tables of the specification, X(TYPENAME, TYPE) per row.
#pragma once

#include <complex.h>
#include <float.h>
#include <stddef.h>
#include <stdint.h>

// clang-format off: tables
#define FLOATING_TYPES(X) X(float, float) X(double, double) X(longdouble, long double)

#define EXACT_WIDTH_TYPES(X) \
  X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) \
  X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t)

// "Standard RMA types": put, get, p, g, strided forms, signals, the moving collectives.
#define STANDARD_RMA_TYPES(X) \
  FLOATING_TYPES(X) X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long) \
  X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) \
  X(ulong, unsigned long) X(ulonglong, unsigned long long) EXACT_WIDTH_TYPES(X) X(size, size_t) \
  X(ptrdiff, ptrdiff_t)

// "Standard AMO types": add, inc, compare-and-swap; all of wait and test.
#define STANDARD_AMO_TYPES(X) \
  X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long) \
  X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) \
  X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)

// "Extended AMO types": fetch, set, swap.
#define EXTENDED_AMO_TYPES(X) STANDARD_AMO_TYPES(X) X(float, float) X(double, double)

// "Bitwise AMO types": and, or, xor. No int, long, longlong or size.
#define BITWISE_AMO_TYPES(X) \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) \
  X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)

// Team reductions: and, or, xor.
#define BITWISE_REDUCE_TYPES(X) \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long) \
  X(ulonglong, unsigned long long) EXACT_WIDTH_TYPES(X) X(size, size_t)

// Team reductions: max, min.
#define ORDERED_REDUCE_TYPES(X) \
  BITWISE_REDUCE_TYPES(X) X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long) \
  X(longlong, long long) X(ptrdiff, ptrdiff_t) FLOATING_TYPES(X)

// Team reductions: sum, prod; both scans.
#define ARITHMETIC_REDUCE_TYPES(X) ORDERED_REDUCE_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)

// Active-set reductions, deprecated: and, or, xor; then max, min; then sum, prod.
#define ACTIVE_SET_BITWISE_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define ACTIVE_SET_ORDERED_TYPES(X) ACTIVE_SET_BITWISE_TYPES(X) FLOATING_TYPES(X)
#define ACTIVE_SET_ARITHMETIC_TYPES(X) \
  ACTIVE_SET_ORDERED_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)

// Bytes of a type that carry its value, without the padding of x86's long double.
#define VALUE_BYTES(TYPE)                                            \
  _Generic((TYPE)0, long double                                      \
           : LDBL_MANT_DIG == 64 ? 10 : sizeof(long double), default \
           : sizeof(TYPE))

// The calls that name a width in bits instead of a type: X(BITS).
#define SIZED_CALLS(X) X(8) X(16) X(32) X(64) X(128)
// clang-format on
