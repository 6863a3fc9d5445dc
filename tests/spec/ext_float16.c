// Numbers of 16 bits: puts, gets and reductions of half and bfloat16, under the names of the draft. Each sum and
// product is the number nearest to the exact one, and the even one of two; so are subnormal numbers and overflows.
// @extension
#include <math.h>
#include <oshen/drafts.h>

#include "symmetric.h"

enum { pairs = 5000 };
static uint16_t dest[pairs], source[pairs], box[4][8];
static uint16_t left_number[pairs], right_number[pairs];
static shmem_ctx_t ctx;

struct format {
  const char* name;
  int mantissa_bits, bias;
  uint16_t infinity;
};
static const struct format half = {"half", 10, 15, 0x7c00}, bfloat16 = {"bfloat16", 7, 127, 0x7f80};

// The number of the bits; infinity counts as the number that would follow the largest one.
static long double decode(const struct format* f, uint16_t bits) {
  const int magnitude = bits & 0x7fff, exponent = magnitude >> f->mantissa_bits;
  const int mantissa = magnitude & ((1 << f->mantissa_bits) - 1), has_one = exponent != 0;
  const long double value =
      ldexpl(mantissa + (has_one << f->mantissa_bits), (has_one ? exponent : 1) - f->bias - f->mantissa_bits);
  return bits & 0x8000 ? -value : value;
}

static int is_nearest(const struct format* f, uint16_t bits, long double exact) {
  const long double distance = fabsl(decode(f, bits) - exact);
  if ((bits & 0x7fff) > f->infinity) return 0;
  if ((bits & 0x7fff) == f->infinity)
    return fabsl(exact) >= fabsl((decode(f, bits) + decode(f, (uint16_t)(bits - 1))) / 2);
  if ((bits & 0x7fff) == 0) return fabsl(exact) <= decode(f, 1) / 2;
  const long double below = fabsl(decode(f, (uint16_t)(bits - 1)) - exact),
                    above = fabsl(decode(f, (uint16_t)(bits + 1)) - exact);
  return distance <= below && distance <= above && ((distance < below && distance < above) || bits % 2 == 0);
}

static unsigned long state = 88172645463325252ul;
// Exponents of bfloat16 are limited, so that the exact results fit into a long double.
static uint16_t any_number(const struct format* f) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  const unsigned random = (unsigned)(state >> 32);
  if (f == &half) return (uint16_t)((random & 0x8000) | (random & 0x7fff) % 0x7c00);
  return (uint16_t)((random & 0x807f) | (112 + random / 65536 % 30) << 7);
}

// PE 0 and PE 1 have numbers, the others have `neutral`.
static void fill(uint16_t neutral) {
  for (int i = 0; i < pairs; i++)
    source[i] = shmem_my_pe() == 0 ? left_number[i] : shmem_my_pe() == 1 ? right_number[i] : neutral;
  memset(dest, 0xff, sizeof dest);
  shmem_barrier_all();
}

#define CHECK_REDUCTION(OP, NEUTRAL, EXACT, IS_RIGHT)                                                           \
  fill(NEUTRAL);                                                                                                \
  CHECK(OP(SHMEM_TEAM_WORLD, (void*)dest, (const void*)source, pairs) == 0, #OP);                               \
  for (int i = 0; i < pairs; i++) {                                                                             \
    const long double a = decode(f, left_number[i]), b = two ? decode(f, right_number[i]) : decode(f, NEUTRAL); \
    CHECK(IS_RIGHT, #OP ": %Lg and %Lg give %Lg", a, b, decode(f, dest[i]));                                    \
  }                                                                                                             \
  shmem_barrier_all();

#define CHECK_REDUCTIONS(NAME, ONE)                                                                          \
  static void check_##NAME##_reductions(void) {                                                              \
    const struct format* const f = &NAME;                                                                    \
    const int two = shmem_n_pes() > 1;                                                                       \
    for (int i = 0; i < pairs; i++) left_number[i] = any_number(f), right_number[i] = any_number(f);         \
    CHECK_REDUCTION(shmem_##NAME##_sum_reduce, 0, a + b, is_nearest(f, dest[i], two ? a + b : a))            \
    CHECK_REDUCTION(shmem_##NAME##_prod_reduce, ONE, a* b, is_nearest(f, dest[i], two ? a* b : a))           \
    CHECK_REDUCTION(shmem_##NAME##_max_reduce, (uint16_t)(f->infinity | 0x8000), a,                          \
                    decode(f, dest[i]) == (two && b > a ? b : a))                                            \
    CHECK_REDUCTION(shmem_##NAME##_min_reduce, f->infinity, a, decode(f, dest[i]) == (two && b < a ? b : a)) \
  }
CHECK_REDUCTIONS(half, 0x3c00)
CHECK_REDUCTIONS(bfloat16, 0x3f80)

// Infinity stays, and what is no number stays none.
static void check_special(const struct format* f, int (*sum)(const void*, size_t)) {
  source[0] = f->infinity;
  source[1] = (uint16_t)(f->infinity | 0x8000);
  source[2] = (uint16_t)(f->infinity | 1);
  source[3] = (uint16_t)(shmem_my_pe() % 2 ? f->infinity | 0x8000 : f->infinity);
  shmem_barrier_all();
  CHECK(sum(source, 4) == 0, "%s", f->name);
  CHECK(dest[0] == source[0] && dest[1] == source[1], "%s: infinity becomes %x, %x", f->name, dest[0], dest[1]);
  CHECK((dest[2] & 0x7fff) > f->infinity, "%s: no number becomes %x", f->name, dest[2]);
  if (shmem_n_pes() > 1) CHECK((dest[3] & 0x7fff) > f->infinity, "%s: infinity less infinity is %x", f->name, dest[3]);
  shmem_barrier_all();
}
static int sum_half(const void* s, size_t n) { return shmemx_half_sum_reduce(SHMEM_TEAM_WORLD, (void*)dest, s, n); }
static int sum_bfloat16(const void* s, size_t n) {
  return shmemx_bfloat16_sum_reduce(SHMEM_TEAM_WORLD, (void*)dest, s, n);
}

#define CHECK_MOVES(NAME)                                                                                \
  static void check_##NAME##_moves(int right, uint16_t sent) {                                           \
    typedef shmemx_##NAME##_t number;                                                                    \
    number* const to = (number*)box;                                                                     \
    number mine[8], got[8];                                                                              \
    for (int i = 0; i < 8; i++) memcpy(&mine[i], &sent, sizeof sent);                                    \
    shmem_##NAME##_put(to, mine, 7, right);                                                              \
    shmem_##NAME##_put_nbi(to + 8, mine, 7, right);                                                      \
    shmem_ctx_##NAME##_put(ctx, to + 16, mine, 7, right);                                                \
    shmem_ctx_##NAME##_put_nbi(ctx, to + 24, mine, 7, right);                                            \
    shmem_ctx_quiet(ctx);                                                                                \
    shmem_barrier_all();                                                                                 \
    for (int i = 0; i < 32; i++)                                                                         \
      CHECK(box[i / 8][i % 8] == (i % 8 < 7 ? sent : 0), #NAME ": box %d is %x", i, box[i / 8][i % 8]);  \
    shmem_##NAME##_get(got, to, 2, right);                                                               \
    shmem_##NAME##_get_nbi(got + 2, to + 8, 2, right);                                                   \
    shmem_ctx_##NAME##_get(ctx, got + 4, to + 16, 2, right);                                             \
    shmem_ctx_##NAME##_get_nbi(ctx, got + 6, to + 24, 2, right);                                         \
    shmem_quiet();                                                                                       \
    shmem_ctx_quiet(ctx);                                                                                \
    for (int i = 0; i < 8; i++) CHECK(memcmp(&got[i], &mine[0], sizeof sent) == 0, #NAME ": got %d", i); \
    shmem_barrier_all();                                                                                 \
    memset(box, 0, sizeof box);                                                                          \
    shmem_barrier_all();                                                                                 \
  }
CHECK_MOVES(half)
CHECK_MOVES(bfloat16)

// The generic names. A compiler that knows the type computes with it.
static void check_generics(int right) {
  static shmemx_half_t sums[2], numbers[2];
  uint16_t bits = 0x3e00;  // 1.5
  memcpy(&numbers[0], &bits, sizeof bits);
  memcpy(&numbers[1], &bits, sizeof bits);
#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)
  numbers[1] = (shmemx_half_t)((float)numbers[0] * 2);
#endif
  shmem_barrier_all();
  CHECK(shmemx_max_reduce(SHMEM_TEAM_WORLD, sums, numbers, 2) == 0, "generic reduction");
  CHECK(memcmp(sums, numbers, sizeof sums) == 0, "generic maximum");
  shmemx_put((shmemx_half_t*)box, numbers, 1, right);
  shmemx_put_nbi(ctx, (shmemx_half_t*)box + 1, numbers, 1, right);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(box[0][0] == bits && box[0][1] == bits, "generic put: %x, %x", box[0][0], box[0][1]);
}

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  check_half_reductions();
  check_bfloat16_reductions();
  check_special(&half, sum_half);
  check_special(&bfloat16, sum_bfloat16);
  check_half_moves(right, 0x3c01);
  check_bfloat16_moves(right, 0x3f81);
  check_generics(right);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
