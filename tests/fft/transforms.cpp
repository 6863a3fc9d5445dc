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
  bool real, real_out, single, in_place, split;
  bool symmetric_in, symmetric_out;
  bool crooked;  // buffers are aligned as their real numbers are, and no better
  bool convolution, lent;
  int fields;
  std::size_t in_distance, out_distance;  // elements, this PE's
  boxes in, out;
  oshen_fft_attr_t attr;

  std::size_t points() const { return static_cast<std::size_t>(extent[0] * extent[1] * extent[2]); }
  bool halves() const { return real && !real_out; }
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

// Of an axis: what transforms of the case's kind may do there.
oshen_fft_along_t along(random_source& random, const test_case& c, int axis) {
  const bool halved = c.halves() && axis == c.attr.halved_axis;
  if (halved || (!c.real_out && !random.once_in(3))) return OSHEN_FFT_FOURIER;
  if (axis > 0 && random.once_in(5)) return OSHEN_FFT_NOTHING;
  const auto any = static_cast<oshen_fft_along_t>(OSHEN_FFT_DCT1 + random.below(OSHEN_FFT_HC2R - OSHEN_FFT_NOTHING));
  return any == OSHEN_FFT_DCT1 && c.extent[axis] < 2 ? OSHEN_FFT_DCT2 : any;
}

test_case make_case(random_source& random, int me, int pes) {
  test_case c{};
  for (int& e : c.extent) e = random.once_in(6) ? 1 : 2 + random.below(15);
  c.real = random.once_in(2);
  c.real_out = c.real && random.once_in(2);
  const int halved = c.halves() ? random.below(3) : 0;
  c.attr.halved_axis = halved;
  for (int axis = 0; axis < 3; axis++) c.attr.along[axis] = along(random, c, axis);
  c.convolution = random.once_in(4);
  c.lent = random.once_in(4);
  c.single = random.once_in(3);
  c.in_place = random.once_in(2);
  c.split = random.once_in(2);
  c.fields = random.once_in(3) ? 3 : 1;
  std::copy(c.extent, c.extent + 3, c.out_extent);
  if (c.halves()) c.out_extent[halved] = c.extent[halved] / 2 + 1;
  c.in = random_boxes(random, c.extent, pes);
  c.out = !c.halves() && random.once_in(4) ? c.in : random_boxes(random, c.out_extent, pes);
  const auto mine = static_cast<std::size_t>(me);
  const std::size_t gap = random.once_in(2) ? 5 : 0;
  c.in_distance = volume(c.in[mine]) + gap;
  c.out_distance = volume(c.out[mine]) + gap;
  oshen_fft_attr_t& a = c.attr;
  a.size = sizeof a;
  std::copy(c.extent, c.extent + 3, a.extent);
  a.kind = c.real_out ? OSHEN_FFT_REAL_TO_REAL : c.real ? OSHEN_FFT_REAL : OSHEN_FFT_COMPLEX;
  a.convolution = c.convolution;
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

// FFTW's kind, or that of the inverse.
fftw_r2r_kind kind_of(oshen_fft_along_t along, bool forward) {
  constexpr fftw_r2r_kind there[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT10,
                                     FFTW_RODFT01, FFTW_RODFT11, FFTW_DHT,     FFTW_R2HC,    FFTW_HC2R};
  constexpr fftw_r2r_kind back[] = {FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT01,
                                    FFTW_RODFT10, FFTW_RODFT11, FFTW_DHT,     FFTW_HC2R,    FFTW_R2HC};
  return (forward ? there : back)[along - OSHEN_FFT_DCT1];
}

double logical_length(const test_case& c, int axis) {
  const double n = c.extent[axis];
  switch (c.attr.along[axis]) {
    case OSHEN_FFT_NOTHING:
      return 1;
    case OSHEN_FFT_DCT1:
      return 2 * (n - 1);
    case OSHEN_FFT_DST1:
      return 2 * (n + 1);
    case OSHEN_FFT_FOURIER:
    case OSHEN_FFT_HARTLEY:
    case OSHEN_FFT_R2HC:
    case OSHEN_FFT_HC2R:
      return n;
    default:
      return 2 * n;
  }
}
double logical_points(const test_case& c) {
  return logical_length(c, 0) * logical_length(c, 1) * logical_length(c, 2);
}

// FFTW along one axis after the other of a whole complex array; what is real stays so.
void transform_whole(const test_case& c, std::vector<complex>& data, bool forward) {
  const int stride[3] = {1, c.extent[0], c.extent[0] * c.extent[1]};
  for (int axis = 0; axis < 3; axis++) {
    const oshen_fft_along_t along = c.attr.along[axis];
    if (along == OSHEN_FFT_NOTHING) continue;
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    fftw_plan plan;
    if (along == OSHEN_FFT_FOURIER) {
      const fftw_iodim line{c.extent[axis], stride[axis], stride[axis]};
      const fftw_iodim many[2] = {{c.extent[a], stride[a], stride[a]}, {c.extent[b], stride[b], stride[b]}};
      auto* raw = reinterpret_cast<fftw_complex*>(data.data());
      plan = fftw_plan_guru_dft(1, &line, 2, many, raw, raw, forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
    } else {
      const fftw_iodim line{c.extent[axis], 2 * stride[axis], 2 * stride[axis]};
      const fftw_iodim many[3] = {
          {c.extent[a], 2 * stride[a], 2 * stride[a]}, {c.extent[b], 2 * stride[b], 2 * stride[b]}, {2, 1, 1}};
      auto* raw = reinterpret_cast<double*>(data.data());
      const fftw_r2r_kind kind = kind_of(along, forward);
      plan = fftw_plan_guru_r2r(1, &line, 3, many, raw, raw, &kind, FFTW_ESTIMATE);
    }
    fftw_execute(plan);
    fftw_destroy_plan(plan);
  }
}

// Of a whole spectrum, what the output has.
std::vector<complex> half_of(const test_case& c, const std::vector<complex>& data) {
  std::vector<complex> half;
  for (int z = 0; z < c.out_extent[2]; z++)
    for (int y = 0; y < c.out_extent[1]; y++)
      for (int x = 0; x < c.out_extent[0]; x++)
        half.push_back(data[static_cast<std::size_t>((z * c.extent[1] + y) * c.extent[0] + x)]);
  return half;
}

std::vector<complex> whole_output(const test_case& c, int field) {
  std::vector<complex> data = whole_input(c, field);
  transform_whole(c, data, true);
  return half_of(c, data);
}

// Factors of a convolution: real where numbers are, and those of a real array where it is halved.
std::vector<complex> whole_factors(const test_case& c) {
  std::vector<complex> data;
  const auto wave = [&](int axis, int k) {
    const bool fourier = c.attr.along[axis] == OSHEN_FFT_FOURIER;
    return std::cos(fourier ? 2 * std::acos(-1.0) * k / c.extent[axis] : 0.3 * k);
  };
  const int h = c.attr.halved_axis;
  for (int z = 0; z < c.extent[2]; z++)
    for (int y = 0; y < c.extent[1]; y++)
      for (int x = 0; x < c.extent[0]; x++) {
        const int k[3] = {x, y, z};
        const double even = 1 + 0.3 * wave(0, x) + 0.2 * wave(1, y) - 0.4 * wave(2, z);
        const double odd = std::sin(2 * std::acos(-1.0) * k[h] / c.extent[h]);
        data.push_back({even, c.real_out ? 0 : 0.7 * odd * even});
      }
  return data;
}

std::vector<complex> whole_convolution(const test_case& c, int field) {
  std::vector<complex> data = whole_input(c, field);
  const std::vector<complex> factors = whole_factors(c);
  transform_whole(c, data, true);
  for (std::size_t i = 0; i < data.size(); i++) data[i] *= factors[i] / logical_points(c);
  transform_whole(c, data, false);
  return data;
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
      "PE %d: case %d: %s: error %g (%d x %d x %d, kind %d, halved %d, along %d %d %d, convolution %d, lent %d, "
      "single %d, fields %d, in place %d, split %d, symmetric %u, crooked %d, strategy %s)\n",
      shmem_my_pe(), number, what, error, c.extent[0], c.extent[1], c.extent[2], c.attr.kind, c.attr.halved_axis,
      c.attr.along[0], c.attr.along[1], c.attr.along[2], c.convolution, c.lent, c.single, c.fields, c.in_place, c.split,
      c.attr.buffers, c.crooked, c.attr.strategy ? c.attr.strategy : "none");
}

void dawdle(random_source& delays) {
  if (delays.once_in(3)) usleep(static_cast<unsigned>(delays.below(300)));
}

void run_in(oshen_fft_t* fft, const test_case& c, bool forward, const void* in, void* out,
            random_source& delays) {
  const auto scale = forward && !c.convolution ? OSHEN_FFT_SCALE_NONE : OSHEN_FFT_SCALE_FULL;
  if (!c.split) {
    const auto call = c.convolution ? oshen_fft_convolve : forward ? oshen_fft_forward : oshen_fft_backward;
    return call(fft, in, out, scale);
  }
  const auto call = c.convolution ? oshen_fft_convolve_start
                    : forward     ? oshen_fft_forward_start
                                  : oshen_fft_backward_start;
  call(fft, in, out, scale);
  for (int i = 0; i < 3 && !oshen_fft_test(fft); i++) dawdle(delays);
  oshen_fft_wait(fft);
}

// `out` may be `in`. What is lent is the caller's between runs, and others may be late.
void run(oshen_arena_t* arena, oshen_fft_t* fft, const test_case& c, bool forward, buffer& in,
         buffer& out, random_source& delays) {
  dawdle(delays);
  const bool from_symmetric = forward ? c.symmetric_in : c.symmetric_out;
  const bool to_symmetric = forward && !c.convolution ? c.symmetric_out : c.symmetric_in;
  {
    lodging target(arena, out, to_symmetric, delays);
    if (&in == &out) {
      run_in(fft, c, forward, target.data(), target.data(), delays);
    } else {
      lodging source(arena, in, from_symmetric, delays);
      run_in(fft, c, forward, source.data(), target.data(), delays);
    }
  }
  if (c.lent) std::memset(c.attr.workspace, 0xFF, c.attr.workspace_bytes);
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

// An arena of what is said to be needed is enough.
void check_need(oshen_group_t* group, const test_case& c, int number) {
  oshen_fft_need_t need{};
  if (oshen_fft_need(group, &c.attr, &need) != OSHEN_OK) return fail(c, number, "need", 0);
  oshen_arena_t* tight = nullptr;
  oshen_group_t* inside = nullptr;
  oshen_fft_t* fft = nullptr;
  if (oshen_arena_create(need.symmetric, &tight) != OSHEN_OK) return fail(c, number, "no arena", 0);
  if (oshen_group_create(tight, SHMEM_TEAM_WORLD, &inside) != OSHEN_OK) return fail(c, number, "no group", 0);
  const oshen_status_t status = oshen_fft_create(inside, &c.attr, &fft);
  const bool refused = status == OSHEN_UNSUPPORTED && may_be_refused(c.attr.strategy);
  if (status != OSHEN_OK && !refused) fail(c, number, "more is needed than was said", 0);
  if (status == OSHEN_OK) {
    oshen_fft_workspace_t held;
    oshen_fft_workspace(fft, &held);
    if (held.symmetric > need.symmetric || held.ordinary > need.ordinary)
      fail(c, number, "more is held than was said", static_cast<double>(held.ordinary));
  }
  oshen_fft_destroy(fft);
  oshen_group_destroy(inside);
  oshen_arena_destroy(tight);
}

// Of a run there, and back if there is a way back, three times.
void check_runs(oshen_arena_t* arena, oshen_fft_t* fft, const test_case& c, int number, random_source& delays) {
  const auto mine = static_cast<std::size_t>(shmem_my_pe());
  const auto fields = static_cast<std::size_t>(c.fields);
  const std::size_t room = fields * std::max(2 * c.out_distance, c.in_distance);
  buffer in(room, c.real, c), back(room, c.real, c);
  buffer out(room, c.convolution ? c.real : c.real_out, c);
  std::vector<std::vector<complex>> input, output;
  for (int f = 0; f < c.fields; f++) {
    input.push_back(whole_input(c, f));
    output.push_back(c.convolution ? whole_convolution(c, f) : whole_output(c, f));
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
    if (c.convolution) {
      const double error = worst_error(c, out, c.in[mine], c.extent, c.in_distance, output);
      if (!(error < 30 * rounding)) fail(c, number, "convolution", error);
      continue;
    }
    double error = worst_error(c, out, c.out[mine], c.out_extent, c.out_distance, output);
    if (!(error < rounding * (logical_points(c) + 10))) fail(c, number, "forward", error);
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
}

void set_factors(oshen_fft_t* fft, const test_case& c, int number) {
  const auto& box = c.out[static_cast<std::size_t>(shmem_my_pe())];
  buffer factors(volume(box), c.real_out, c);
  const std::vector<complex> whole = half_of(c, whole_factors(c));
  for_each_point(box, c.out_extent, [&](std::size_t offset, std::size_t index) { factors.set(offset, whole[index]); });
  if (oshen_fft_set_factors(fft, factors.bytes.data() + factors.first) != OSHEN_OK) fail(c, number, "factors", 0);
}

// Memory for the transform to work in, at another place on every PE.
void lend(oshen_group_t* group, test_case& c, int number, random_source& delays) {
  oshen_fft_need_t need{};
  if (oshen_fft_need(group, &c.attr, &need) != OSHEN_OK) return fail(c, number, "need", 0);
  oshen_arena_t* arena = oshen_group_arena(group);
  void* gap = oshen_arena_alloc(arena, 64 + static_cast<std::size_t>(delays.below(4000)));
  c.attr.workspace_bytes = std::max<std::size_t>(need.workspace, 64);
  c.attr.workspace = oshen_arena_alloc(arena, c.attr.workspace_bytes);
  oshen_arena_free(arena, gap);
  if (c.attr.workspace == nullptr) shmem_global_exit(1);
  std::memset(c.attr.workspace, 0xFF, c.attr.workspace_bytes);
}

void check_case(oshen_group_t* group, test_case c, int number, random_source& delays) {
  oshen_arena_t* arena = oshen_group_arena(group);
  if (number % 4 == 0) check_need(group, c, number);
  poison(arena);
  if (c.lent) lend(group, c, number, delays);
  oshen_fft_t* fft = nullptr;
  const oshen_status_t status = oshen_fft_create(group, &c.attr, &fft);
  const bool refused = status == OSHEN_UNSUPPORTED && may_be_refused(c.attr.strategy);
  if (status != OSHEN_OK && !refused) fail(c, number, oshen_status_text(status), 0);
  if (status == OSHEN_OK) {
    if (c.convolution) set_factors(fft, c, number);
    check_runs(arena, fft, c, number, delays);
    char text[200];
    if (shmem_my_pe() == 0 && std::getenv("OSHEN_TEST_SAY") != nullptr) {
      oshen_fft_describe(fft, text, sizeof text);
      std::printf("case %d: %s\n", number, text);
    }
  }
  oshen_fft_destroy(fft);
  oshen_arena_free(arena, c.attr.workspace);
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
