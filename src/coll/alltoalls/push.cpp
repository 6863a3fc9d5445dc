// Strided all-to-all: every PE writes its elements into their places in every dest, then all meet.
#include "coll/algorithms.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

// Copies `n` elements with strides in bytes. A known element size lets the compiler use plain moves.
template <std::size_t size>
void copy_strided(char* to, const char* from, std::ptrdiff_t to_step, std::ptrdiff_t from_step, std::size_t n) {
  for (; n != 0; --n, to += to_step, from += from_step) memcpy(to, from, size);
}

void copy_elements(char* to, const char* from, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n,
                   std::size_t size) {
  const auto width = static_cast<std::ptrdiff_t>(size);
  switch (size) {
    case 1: return copy_strided<1>(to, from, dst, sst, n);
    case 2: return copy_strided<2>(to, from, dst * 2, sst * 2, n);
    case 4: return copy_strided<4>(to, from, dst * 4, sst * 4, n);
    case 8: return copy_strided<8>(to, from, dst * 8, sst * 8, n);
    case 16: return copy_strided<16>(to, from, dst * 16, sst * 16, n);
    default:
      for (; n != 0; --n, to += dst * width, from += sst * width) memcpy(to, from, size);
  }
}

void run_push(const task& job) {
  team& t = job.members;
  const auto dest_block = static_cast<std::size_t>(job.dest_stride) * job.bytes();
  const auto source_block = static_cast<std::size_t>(job.source_stride) * job.bytes();
  char* place = job.dest + static_cast<std::size_t>(t.my_pe) * dest_block;
  for (int i = 0; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    copy_elements(at_pe(t, pe, place), job.source + static_cast<std::size_t>(pe) * source_block, job.dest_stride,
                  job.source_stride, job.elements, job.element_bytes);
  }
  sync_team(t, job.routine);
}

double cost(const setting& s) { return 300 + 1.0 * static_cast<double>(s.bytes) * s.n_pes; }

}  // namespace

constexpr algorithm push_alltoalls{
    .collective = kind::alltoalls,
    .name = "push",
    .how = design::single_copy,
    .about = "every PE writes each element where it belongs; ends with a sync",
    .steps = "1 + sync",
    .traffic = "a sync; n (n - 1) b copied",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
