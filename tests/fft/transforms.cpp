// Transforms of random arrays in random boxes against FFTW on the whole array: fft_transforms SEED
// CASES
#include <fftw3.h>
#include <shmem.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "program.hpp"

namespace {

using complex = std::complex<double>;

struct test_case {
  int extent[3];
  int out_extent[3];
  bool real, single, in_place, split;
  bool symmetric_in, symmetric_out;
  bool crooked;  // buffers are aligned as their real numbers are, and no better
  int fields;
  std::size_t in_distance, out_distance;  // elements, this PE's
  boxes in, out;
  oshen_fft_attr_t attr;

  std::size_t points() const { return static_cast<std::size_t>(extent[0] * extent[1] * extent[2]); }
  std::size_t out_points() const {
    return static_cast<std::size_t>(out_extent[0] * out_extent[1] * out_extent[2]);
  }
};

int failures = 0;

const char* strategy_of(random_source& random) {
  if (random.once_in(2)) return nullptr;
  oshen_strategy_info_t info;
  int rows = 0;
  while (oshen_strategy_at(rows, &info)) rows++;
  oshen_strategy_at(random.below(rows), &info);
  return info.name;
}

test_case make_case(random_source& random, int me, int pes) {
  test_case c{};
  for (int& e : c.extent) e = random.once_in(6) ? 1 : 2 + random.below(15);
  c.real = random.once_in(3);
  c.single = random.once_in(3);
  c.in_place = random.once_in(2);
  c.split = random.once_in(2);
  c.fields = random.once_in(3) ? 3 : 1;
  std::copy(c.extent, c.extent + 3, c.out_extent);
  if (c.real) c.out_extent[0] = c.extent[0] / 2 + 1;
  c.in = random_boxes(random, c.extent, pes);
  c.out = !c.real && random.once_in(4) ? c.in : random_boxes(random, c.out_extent, pes);
  const auto mine = static_cast<std::size_t>(me);
  const std::size_t gap = random.once_in(2) ? 5 : 0;
  c.in_distance = volume(c.in[mine]) + gap;
  c.out_distance = volume(c.out[mine]) + gap;
  oshen_fft_attr_t& a = c.attr;
  a.size = sizeof a;
  std::copy(c.extent, c.extent + 3, a.extent);
  a.kind = c.real ? OSHEN_FFT_REAL : OSHEN_FFT_COMPLEX;
  a.precision = c.single ? OSHEN_FFT_FLOAT : OSHEN_FFT_DOUBLE;
  a.in = c.in[mine];
  a.out = c.out[mine];
  a.fields = c.fields;
  a.in_distance = gap == 0 ? 0 : c.in_distance;
  a.out_distance = gap == 0 ? 0 : c.out_distance;
  a.effort = random.once_in(8)   ? OSHEN_FFT_MEASURE
             : random.once_in(4) ? OSHEN_FFT_BRIEF
                                 : OSHEN_FFT_ESTIMATE;
  a.decomposition = static_cast<oshen_fft_decomposition_t>(random.below(4));
  a.strategy = strategy_of(random);
  c.symmetric_in = random.once_in(2);
  c.symmetric_out = random.once_in(2);
  c.crooked = random.once_in(2);
  a.buffers =
      (c.symmetric_in ? OSHEN_IN_SYMMETRIC : 0) | (c.symmetric_out ? OSHEN_OUT_SYMMETRIC : 0);
  return c;
}

// The whole input; its imaginary part is 0 if the transform is real.
std::vector<complex> whole_input(const test_case& c, int field) {
  std::vector<complex> data(c.points());
  for (std::size_t i = 0; i < data.size(); i++) {
    const double x = static_cast<double>(i) + 1000.0 * field;
    data[i] = {std::sin(x * 1.7) + std::cos(x * x * 0.01), c.real ? 0 : std::cos(x * 2.3)};
  }
  return data;
}

std::vector<complex> whole_output(const test_case& c, int field) {
  std::vector<complex> data = whole_input(c, field);
  auto* raw = reinterpret_cast<fftw_complex*>(data.data());
  fftw_plan plan = fftw_plan_dft_3d(c.extent[2], c.extent[1], c.extent[0], raw, raw, FFTW_FORWARD,
                                    FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  if (!c.real) return data;
  std::vector<complex> half;
  for (std::size_t i = 0; i < data.size(); i++) {
    if (static_cast<int>(i) % c.extent[0] < c.out_extent[0]) half.push_back(data[i]);
  }
  return half;
}

// Buffers of any precision, through one pair of functions.
struct buffer {
  std::vector<std::byte> bytes;
  bool real, single;
  std::size_t first;  // byte of the first element

  std::size_t number() const { return single ? 4 : 8; }
  buffer(std::size_t elements, bool is_real, const test_case& c)
      : real(is_real), single(c.single), first(c.crooked ? number() : 0) {
    bytes.assign((elements + 1) * (real ? 1u : 2u) * number() + first, std::byte{0xA5});
  }
  template <class T>
  void set_as(std::size_t i, complex v) {
    auto* p = reinterpret_cast<T*>(bytes.data() + first);
    p[real ? i : 2 * i] = static_cast<T>(v.real());
    if (!real) p[2 * i + 1] = static_cast<T>(v.imag());
  }
  template <class T>
  complex get_as(std::size_t i) const {
    const auto* p = reinterpret_cast<const T*>(bytes.data() + first);
    return real ? complex{p[i], 0} : complex{p[2 * i], p[2 * i + 1]};
  }
  void set(std::size_t i, complex v) { single ? set_as<float>(i, v) : set_as<double>(i, v); }
  complex get(std::size_t i) const { return single ? get_as<float>(i) : get_as<double>(i); }
};

// Memory for a buffer during one run: symmetric, at another place on every PE and in every run, or
// as it is.
class lodging {
 public:
  lodging(oshen_arena_t* arena, buffer& of, bool symmetric, random_source& delays) : of_(of) {
    if (!symmetric) return;
    arena_ = arena;
    gap_ = oshen_arena_alloc(arena, 1 + static_cast<std::size_t>(delays.below(4000)));
    memory_ = oshen_arena_alloc(arena, of.bytes.size());
    if (memory_ == nullptr) shmem_global_exit(1);
    std::memcpy(memory_, of.bytes.data(), of.bytes.size());
  }
  ~lodging() {
    if (memory_ == nullptr) return;
    std::memcpy(of_.bytes.data(), memory_, of_.bytes.size());
    oshen_arena_free(arena_, memory_);
    oshen_arena_free(arena_, gap_);
  }
  lodging(const lodging&) = delete;
  lodging& operator=(const lodging&) = delete;

  void* data() { return (memory_ != nullptr ? static_cast<std::byte*>(memory_) : of_.bytes.data()) + of_.first; }

 private:
  buffer& of_;
  oshen_arena_t* arena_ = nullptr;
  void *gap_ = nullptr, *memory_ = nullptr;
};

// What is read before it was written shows: not a number, in either precision.
void poison(oshen_arena_t* arena) {
  constexpr std::size_t bytes = 8 << 20;
  void* memory = oshen_arena_alloc(arena, bytes);
  if (memory == nullptr) return;
  std::memset(memory, 0xFF, bytes);
  oshen_arena_free(arena, memory);
}

void fail(const test_case& c, int number, const char* what, double error) {
  if (failures++ > 5) return;
  std::printf(
      "PE %d: case %d: %s: error %g (%d x %d x %d, real %d, single %d, fields %d, in place %d, "
      "split %d, symmetric %u, crooked %d, strategy %s)\n",
      shmem_my_pe(), number, what, error, c.extent[0], c.extent[1], c.extent[2], c.real, c.single,
      c.fields, c.in_place, c.split, c.attr.buffers, c.crooked, c.attr.strategy ? c.attr.strategy : "none");
}

void dawdle(random_source& delays) {
  if (delays.once_in(3)) usleep(static_cast<unsigned>(delays.below(300)));
}

void run_in(oshen_fft_t* fft, const test_case& c, bool forward, const void* in, void* out,
            random_source& delays) {
  const auto scale = forward ? OSHEN_FFT_SCALE_NONE : OSHEN_FFT_SCALE_FULL;
  if (!c.split) {
    (forward ? oshen_fft_forward : oshen_fft_backward)(fft, in, out, scale);
    return;
  }
  (forward ? oshen_fft_forward_start : oshen_fft_backward_start)(fft, in, out, scale);
  for (int i = 0; i < 3 && !oshen_fft_test(fft); i++) dawdle(delays);
  oshen_fft_wait(fft);
}

// `out` may be `in`.
void run(oshen_arena_t* arena, oshen_fft_t* fft, const test_case& c, bool forward, buffer& in,
         buffer& out, random_source& delays) {
  dawdle(delays);
  const bool from_symmetric = forward ? c.symmetric_in : c.symmetric_out;
  const bool to_symmetric = forward ? c.symmetric_out : c.symmetric_in;
  lodging target(arena, out, to_symmetric, delays);
  if (&in == &out) return run_in(fft, c, forward, target.data(), target.data(), delays);
  lodging source(arena, in, from_symmetric, delays);
  run_in(fft, c, forward, source.data(), target.data(), delays);
}

double worst_error(const test_case& c, const buffer& got, const oshen_fft_box_t& box,
                   const int (&extent)[3], std::size_t distance,
                   const std::vector<std::vector<complex>>& expected) {
  double error = 0;
  for (int f = 0; f < c.fields; f++) {
    const std::size_t base = static_cast<std::size_t>(f) * distance;
    const auto& whole = expected[static_cast<std::size_t>(f)];
    for_each_point(box, extent, [&](std::size_t offset, std::size_t index) {
      const double here = std::abs(got.get(base + offset) - whole[index]);
      if (!std::isnan(error) && !(here <= error)) error = here;
    });
  }
  return error;
}

void check_case(oshen_group_t* group, const test_case& c, int number, random_source& delays) {
  oshen_arena_t* arena = oshen_group_arena(group);
  poison(arena);
  oshen_fft_t* fft = nullptr;
  const oshen_status_t status = oshen_fft_create(group, &c.attr, &fft);
  if (status == OSHEN_UNSUPPORTED && may_be_refused(c.attr.strategy)) return;
  if (status != OSHEN_OK) return fail(c, number, oshen_status_text(status), 0);
  const auto mine = static_cast<std::size_t>(shmem_my_pe());
  const auto fields = static_cast<std::size_t>(c.fields);
  const std::size_t room = fields * std::max(2 * c.out_distance, c.in_distance);
  buffer in(room, c.real, c), out(room, false, c), back(room, c.real, c);
  std::vector<std::vector<complex>> input, output;
  for (int f = 0; f < c.fields; f++) {
    input.push_back(whole_input(c, f));
    output.push_back(whole_output(c, f));
    for_each_point(c.in[mine], c.extent, [&](std::size_t offset, std::size_t index) {
      in.set(static_cast<std::size_t>(f) * c.in_distance + offset, input.back()[index]);
    });
  }
  const buffer kept = in;
  const double rounding = c.single ? 1e-5 : 1e-13;
  for (int repeat = 0; repeat < 3; repeat++) {
    if (c.in_place) {
      // Results must not depend on what was in the buffer behind the input.
      std::memcpy(out.bytes.data(), in.bytes.data(), std::min(in.bytes.size(), out.bytes.size()));
      run(arena, fft, c, true, out, out, delays);
    } else {
      run(arena, fft, c, true, in, out, delays);
      if (in.bytes != kept.bytes) fail(c, number, "input was changed", 0);
    }
    double error = worst_error(c, out, c.out[mine], c.out_extent, c.out_distance, output);
    if (!(error < rounding * static_cast<double>(c.points() + 10)))
      fail(c, number, "forward", error);
    const buffer spectrum = out;
    run(arena, fft, c, false, out, c.in_place ? out : back, delays);
    if (c.in_place) {
      std::memcpy(back.bytes.data(), out.bytes.data(),
                  std::min(back.bytes.size(), out.bytes.size()));
    } else if (out.bytes != spectrum.bytes) {
      fail(c, number, "spectrum was changed", 0);
    }
    error = worst_error(c, back, c.in[mine], c.extent, c.in_distance, input);
    if (!(error < 10 * rounding)) fail(c, number, "backward", error);
  }
  char text[200];
  if (shmem_my_pe() == 0 && std::getenv("OSHEN_TEST_SAY") != nullptr) {
    oshen_fft_describe(fft, text, sizeof text);
    std::printf("case %d: %s\n", number, text);
  }
  oshen_fft_destroy(fft);
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 2 ? std::atoi(argv[2]) : 40;
  return run_program(argc, argv, failures,
                     [&](oshen_group_t* group, random_source& random, random_source& delays) {
                       for (int i = 0; i < cases; i++)
                         check_case(group, make_case(random, shmem_my_pe(), shmem_n_pes()), i,
                                    delays);
                     });
}
