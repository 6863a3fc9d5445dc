// Blocks of arrays with one to four axes, whose extents and positions differ on the two sides, for elements of many
// sizes. All elements outside of the block keep their values.
// @extension
#include <shmemx.h>

#include "symmetric.h"

enum { most_axes = 4, most_bytes = 30000, rounds = 60 };
static unsigned char before[most_bytes], wanted[most_bytes], local[most_bytes];
static shmem_ctx_t ctx;

static unsigned long state = 88172645463325252ul;
static size_t below(size_t n) {  // the same numbers on all PEs
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (size_t)(state >> 33) % n;
}

struct side {
  size_t sizes[most_axes], starts[most_axes];
};
struct shape {
  int axes;
  size_t element, extents[most_axes];
  struct side dest, source;
};

static size_t bytes_of(const struct side* a, const struct shape* s) {
  size_t n = s->element;
  for (int i = 0; i < s->axes; i++) n *= a->sizes[i];
  return n;
}

static struct side make_side(const struct shape* s) {
  struct side a;
  for (int i = 0; i < s->axes; i++) {
    const size_t room = below(3);
    a.sizes[i] = s->extents[i] + room;
    a.starts[i] = below(room + 1);
  }
  return a;
}

static struct shape make_shape(int round) {
  static const size_t elements[] = {1, 2, 3, 4, 8, 12, 16};
  struct shape s = {.axes = 1 + round % most_axes, .element = elements[below(7)]};
  for (int i = 0; i < s.axes; i++) s.extents[i] = round % 13 == 5 ? below(2) : 1 + below(4);
  s.dest = make_side(&s);
  s.source = make_side(&s);
  return s;
}

static size_t position(const struct side* a, const struct shape* s, const size_t* index) {
  size_t at = 0;
  for (int i = 0; i < s->axes; i++) at = at * a->sizes[i] + a->starts[i] + index[i];
  return at * s->element;
}

// Copies the block element by element.
static void expect_block(const struct shape* s, unsigned char* dest, const unsigned char* source) {
  size_t index[most_axes] = {0};
  for (int i = 0; i < s->axes; i++)
    if (s->extents[i] == 0) return;
  for (;;) {
    memcpy(dest + position(&s->dest, s, index), source + position(&s->source, s, index), s->element);
    int i = s->axes - 1;
    while (i >= 0 && ++index[i] == s->extents[i]) index[i--] = 0;
    if (i < 0) return;
  }
}

enum way {
  way_put,
  way_put_nbi,
  way_ctx_put,
  way_ctx_put_nbi,
  way_get,
  way_get_nbi,
  way_ctx_get,
  way_ctx_get_nbi,
  ways
};

#define BLOCK \
  dest, s->dest.sizes, s->dest.starts, source, s->source.sizes, s->source.starts, s->extents, s->axes, s->element, pe
static void move(enum way way, const struct shape* s, void* dest, const void* source, int pe) {
  switch (way) {
    case way_put: shmemx_subarray_put(BLOCK); break;
    case way_put_nbi: shmemx_subarray_put_nbi(BLOCK); break;
    case way_ctx_put: shmemx_ctx_subarray_put(ctx, BLOCK); break;
    case way_ctx_put_nbi: shmemx_ctx_subarray_put_nbi(ctx, BLOCK); break;
    case way_get: shmemx_subarray_get(BLOCK); break;
    case way_get_nbi: shmemx_subarray_get_nbi(BLOCK); break;
    case way_ctx_get: shmemx_ctx_subarray_get(ctx, BLOCK); break;
    case way_ctx_get_nbi: shmemx_ctx_subarray_get_nbi(ctx, BLOCK); break;
    default: break;
  }
  if (way == way_put_nbi || way == way_get_nbi) shmem_quiet();
  shmem_ctx_quiet(ctx);
}

static void fill(unsigned char* bytes, size_t n, int pe) {
  for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(7 * i + 31 * (size_t)pe + i / 251);
}

// `shared` begins at an odd address in some rounds.
static void check(enum way way, const struct shape* s, unsigned char* shared) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const size_t dest_bytes = bytes_of(&s->dest, s), source_bytes = bytes_of(&s->source, s);
  CHECK(dest_bytes <= most_bytes && source_bytes <= most_bytes, "a larger array");
  const int is_put = way < way_get;
  unsigned char* const dest = is_put ? shared : local;
  memset(dest, 0xa5, dest_bytes);
  memset(wanted, 0xa5, dest_bytes);
  fill(is_put ? local : shared, source_bytes, me);
  fill(before, source_bytes, is_put ? left : right);
  shmem_barrier_all();
  move(way, s, dest, is_put ? local : shared, right);
  shmem_barrier_all();
  expect_block(s, wanted, before);
  CHECK(memcmp(dest, wanted, dest_bytes) == 0, "way %d, %d axes, elements of %zu bytes", way, s->axes, s->element);
}

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* const shared = memory_take(kind, most_bytes + 8);
    for (int round = 0; round < rounds; round++) {
      const struct shape s = make_shape(round);
      check((enum way)(round % ways), &s, shared + (round % 3 == 2));
    }
    memory_give_back(kind, shared);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
