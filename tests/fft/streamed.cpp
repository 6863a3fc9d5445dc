// Streamed passes give the same results as others, bit for bit: fft_streamed SEED CASES
//
// Users get streamed passes for large arrays only. Here all candidates of small arrays use them, forward and backward.
#include <shmem.h>

#include <cstring>
#include <memory>
#include <vector>

#include "fft/geometry/cost.hpp"
#include "fft/interface/request.hpp"
#include "fft/transform/transform.hpp"
#include "program.hpp"

namespace {

using namespace oshen::fft;

struct test_case {
  oshen_fft_attr_t attr{};
  bool in_place = false;
  std::size_t bytes = 0;  // of a buffer
};

test_case make_case(random_source& random, int me, int pes) {
  test_case c;
  auto& a = c.attr;
  a.size = sizeof a;
  for (int& e : a.extent) e = 1 + random.below(20);
  a.extent[0] += 30;  // rows of several cache lines
  a.precision = random.once_in(3) ? OSHEN_FFT_FLOAT : OSHEN_FFT_DOUBLE;
  a.fields = random.once_in(3) ? 2 : 1;
  const bool transposes = random.once_in(2);
  const int cut = 1 + random.below(2), other = transposes ? 3 - cut : cut;
  const auto slab = [&](int axis) {
    oshen_fft_box_t box{{}, {a.extent[0], a.extent[1], a.extent[2]}, {}};
    box.low[axis] = a.extent[axis] * me / pes;
    box.size[axis] = a.extent[axis] * (me + 1) / pes - box.low[axis];
    return box;
  };
  a.in = slab(cut);
  a.out = slab(other);
  if (transposes) std::copy_n((const int[]){0, 2, 1}, 3, a.out.order);
  if (random.once_in(2)) a.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
  c.in_place = random.once_in(2);
  c.bytes = 16u * static_cast<std::size_t>(a.fields * a.extent[0] * a.extent[1] * a.extent[2]);
  return c;
}

// Buffers in the arena, promised to be symmetric or not.
struct buffer {
  buffer(oshen_arena_t* from, std::size_t bytes) : arena(from), data(oshen_arena_alloc(from, bytes)) {
    if (data == nullptr) shmem_global_exit(1);
  }
  ~buffer() { oshen_arena_free(arena, data); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  oshen_arena_t* arena;
  void* data;
};

void fill(void* data, const test_case& c, unsigned seed) {
  const bool single = c.attr.precision == OSHEN_FFT_FLOAT;
  for (std::size_t i = 0; i < c.bytes / (single ? 4 : 8); i++) {
    seed = seed * 1664525u + 1013904223u;
    const double value = static_cast<double>(seed >> 8) / (1 << 24) - 0.5;
    if (single)
      static_cast<float*>(data)[i] = static_cast<float>(value);
    else
      static_cast<double*>(data)[i] = value;
  }
}

// Forward, then backward from that result.
std::vector<std::byte> results(oshen_group_t* group, const request& wanted, const route& chain, const test_case& c,
                               bool stream) {
  oshen_status_t status = OSHEN_OK;
  const std::size_t tile = 8 << 10;
  const auto with = make_transform(group, wanted, chain, {tile, OSHEN_FFT_ESTIMATE, false, stream}, &status);
  if (with == nullptr) return {};  // not enough memory for this candidate
  buffer in(oshen_group_arena(group), c.bytes), out(oshen_group_arena(group), c.bytes);
  fill(in.data, c, 5u + static_cast<unsigned>(oshen_group_rank(group)));
  std::memset(out.data, 0, c.bytes);
  void* const to = c.in_place ? in.data : out.data;
  std::vector<std::byte> all(2 * c.bytes);
  with->start(direction::forward, in.data, to, 1);
  with->wait();
  shmem_barrier_all();
  std::memcpy(all.data(), to, c.bytes);
  with->start(direction::backward, to, in.data, 0.5);
  with->wait();
  shmem_barrier_all();
  std::memcpy(all.data() + c.bytes, in.data, c.bytes);
  shmem_barrier_all();
  return all;
}

void check(oshen_group_t* group, const test_case& c, int number) {
  request wanted;
  if (read_request(group, "fft_streamed", &c.attr, &wanted) != OSHEN_OK) shmem_global_exit(1);
  for (const route& chain : candidates(wanted.problem, wanted.kind, machine_model{})) {
    const auto plain = results(group, wanted, chain, c, false);
    if (!plain.empty() && plain == results(group, wanted, chain, c, true)) continue;
    failures++;
    std::printf("PE %d: case %d: %s: streamed results differ (%d x %d x %d, symmetric %u, in place %d)\n",
                shmem_my_pe(), number, chain.text().c_str(), c.attr.extent[0], c.attr.extent[1], c.attr.extent[2],
                c.attr.buffers, c.in_place);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 2 ? std::atoi(argv[2]) : 10;
  return run_program(argc, argv, [&](oshen_group_t* group, random_source& random, random_source&) {
    for (int i = 0; i < cases; i++) check(group, make_case(random, shmem_my_pe(), shmem_n_pes()), i);
  });
}
