// Transforms of random arrays in random boxes against FFTW on the whole array: fft_transforms SEED CASES [lines].
// `lines` selects arrays of one axis.
#include <shmem.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "expected.hpp"
#include "program.hpp"

namespace {

// Buffers of either precision behind one pair of functions.
struct buffer {
  std::vector<std::byte> bytes;
  bool real, single;
  std::size_t first;  // offset of the first element, in bytes

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

// Memory for a buffer during one run: symmetric, at another address on every PE and in every run, or the buffer
// itself.
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

// Fills the arena with NaNs in either precision, so that reading unwritten memory shows.
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
      "single %d, embed %zu %zu %zu to %zu %zu %zu, fields %d, in place %d, split %d, symmetric %u, crooked %d, "
      "columns %d, kept %d %d %d, strategy %s)\n",
      shmem_my_pe(), number, what, error, c.extent[0], c.extent[1], c.extent[2], c.attr.kind, c.attr.halved_axis,
      c.attr.along[0], c.attr.along[1], c.attr.along[2], c.convolution, c.lent, c.single, c.attr.in_embed[0],
      c.attr.in_embed[1], c.attr.in_embed[2], c.attr.out_embed[0], c.attr.out_embed[1], c.attr.out_embed[2], c.fields,
      c.in_place, c.split, c.attr.buffers, c.crooked, c.attr.columns, c.attr.kept[0], c.attr.kept[1], c.attr.kept[2],
      c.attr.strategy ? c.attr.strategy : "none");
}

void dawdle(random_source& delays) {
  if (delays.once_in(3)) usleep(static_cast<unsigned>(delays.below(300)));
}

void run_in(oshen_fft_t* fft, const test_case& c, bool forward, const void* in, void* out, random_source& delays) {
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

struct run_context {
  oshen_arena_t* arena;
  oshen_fft_t* fft;
  const test_case& c;
  random_source& delays;
};

// `out` may be `in`. Lent memory belongs to the caller between runs, and other PEs may be late.
void run(const run_context& with, bool forward, buffer& in, buffer& out) {
  const auto& [arena, fft, c, delays] = with;
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

// The fields of this PE at one end of a transform.
struct side {
  const oshen_fft_box_t& box;
  const int (&extent)[3];
  const sizes3& embed;
  std::size_t distance;
};
side input_of(const test_case& c) { return {c.attr.in, c.extent, c.attr.in_embed, c.in_distance}; }
side output_of(const test_case& c) { return {c.attr.out, c.out_extent, c.attr.out_embed, c.out_distance}; }

double worst_error(const test_case& c, const buffer& got, const side& at,
                   const std::vector<std::vector<complex>>& expected) {
  double error = 0;
  for (int f = 0; f < c.fields; f++) {
    const std::size_t base = static_cast<std::size_t>(f) * at.distance;
    const auto& whole = expected[static_cast<std::size_t>(f)];
    for_each_point(at.box, at.extent, at.embed, [&](std::size_t offset, std::size_t index) {
      const double here = std::abs(got.get(base + offset) - whole[index]);
      if (!std::isnan(error) && !(here <= error)) error = here;
    });
  }
  return error;
}

// Whether bytes outside of the boxes differ from those of a new buffer.
bool touched_beyond(const test_case& c, const buffer& got, const side& at) {
  const std::size_t element = (got.real ? 1 : 2) * got.number();
  std::vector<bool> inside(got.bytes.size());
  for (int f = 0; f < c.fields; f++) {
    for_each_point(at.box, at.extent, at.embed, [&](std::size_t offset, std::size_t) {
      const std::size_t first = got.first + (static_cast<std::size_t>(f) * at.distance + offset) * element;
      std::fill_n(inside.begin() + static_cast<std::ptrdiff_t>(first), element, true);
    });
  }
  for (std::size_t i = 0; i < inside.size(); i++)
    if (!inside[i] && got.bytes[i] != std::byte{0xA5}) return true;
  return false;
}

// An arena of exactly the computed size is enough.
void check_need(oshen_group_t* group, const test_case& c, int number) {
  oshen_fft_need_t need{};
  if (oshen_fft_need(group, &c.attr, &need, sizeof need) != OSHEN_OK) return fail(c, number, "need", 0);
  oshen_arena_t* tight = nullptr;
  oshen_group_t* inside = nullptr;
  oshen_fft_t* fft = nullptr;
  if (oshen_arena_create(need.symmetric, &tight) != OSHEN_OK) return fail(c, number, "no arena", 0);
  if (oshen_group_create(tight, SHMEM_TEAM_WORLD, &inside) != OSHEN_OK) return fail(c, number, "no group", 0);
  const oshen_status_t status = oshen_fft_create(inside, &c.attr, &fft);
  const bool refused = status == OSHEN_UNSUPPORTED && may_be_refused(c.attr.strategy);
  if (status != OSHEN_OK && !refused) fail(c, number, "oshen_fft_need returned too little", 0);
  if (status == OSHEN_OK) {
    oshen_fft_workspace_t held;
    oshen_fft_workspace(fft, &held, sizeof held);
    if (held.symmetric > need.symmetric || held.ordinary > need.ordinary)
      fail(c, number, "workspace exceeds oshen_fft_need", static_cast<double>(held.ordinary));
  }
  oshen_fft_destroy(fft);
  oshen_group_destroy(inside);
  oshen_arena_destroy(tight);
}

// A forward run, and a backward run unless it is a convolution, three times.
void check_runs(oshen_arena_t* arena, oshen_fft_t* fft, const test_case& c, int number, random_source& delays) {
  const auto fields = static_cast<std::size_t>(c.fields);
  const std::size_t room = fields * std::max(2 * c.out_distance, c.in_distance);
  buffer in(room, c.real, c), back(room, c.real, c);
  buffer out(room, c.convolution ? c.real : c.real_out, c);
  std::vector<std::vector<complex>> input, output, returned;
  for (int f = 0; f < c.fields; f++) {
    input.push_back(whole_input(c, f));
    output.push_back(c.convolution ? whole_convolution(c, f) : whole_output(c, f));
    returned.push_back(whole_return(c, f));
    for_each_point(c.attr.in, c.extent, c.attr.in_embed, [&](std::size_t offset, std::size_t index) {
      in.set(static_cast<std::size_t>(f) * c.in_distance + offset, input.back()[index]);
    });
  }
  const buffer kept = in;
  const double rounding = c.single ? 1e-5 : 1e-13;
  const run_context with{arena, fft, c, delays};
  for (int repeat = 0; repeat < 3; repeat++) {
    if (c.in_place) {
      // Results must not depend on the contents of the buffer behind the input.
      std::memcpy(out.bytes.data(), in.bytes.data(), std::min(in.bytes.size(), out.bytes.size()));
      run(with, true, out, out);
    } else {
      run(with, true, in, out);
      if (in.bytes != kept.bytes) fail(c, number, "input was changed", 0);
      if (touched_beyond(c, out, c.convolution ? input_of(c) : output_of(c)))
        fail(c, number, "output beyond its box", 0);
    }
    if (c.convolution) {
      const double error = worst_error(c, out, input_of(c), output);
      if (!(error < 30 * rounding)) fail(c, number, "convolution", error);
      continue;
    }
    double error = worst_error(c, out, output_of(c), output);
    if (!(error < rounding * (logical_points(c) + 10))) fail(c, number, "forward", error);
    const buffer spectrum = out;
    run(with, false, out, c.in_place ? out : back);
    if (c.in_place) {
      std::memcpy(back.bytes.data(), out.bytes.data(), std::min(back.bytes.size(), out.bytes.size()));
    } else if (out.bytes != spectrum.bytes) {
      fail(c, number, "spectrum was changed", 0);
    } else if (touched_beyond(c, back, input_of(c))) {
      fail(c, number, "input beyond its box", 0);
    }
    error = worst_error(c, back, input_of(c), returned);
    if (!(error < 10 * rounding)) fail(c, number, "backward", error);
  }
}

void set_factors(oshen_fft_t* fft, const test_case& c, int number) {
  const auto& box = c.out[static_cast<std::size_t>(shmem_my_pe())];
  buffer factors(embedded_volume(box, c.attr.out_embed), c.real_out, c);
  const std::vector<complex> whole = half_of(c, whole_factors(c));
  for_each_point(box, c.out_extent, c.attr.out_embed,
                 [&](std::size_t offset, std::size_t index) { factors.set(offset, whole[index]); });
  if (oshen_fft_set_factors(fft, factors.bytes.data() + factors.first) != OSHEN_OK) fail(c, number, "factors", 0);
}

// Work memory lent to the transform, at another address on every PE.
void lend(oshen_group_t* group, test_case& c, int number, random_source& delays) {
  oshen_fft_need_t need{};
  if (oshen_fft_need(group, &c.attr, &need, sizeof need) != OSHEN_OK) return fail(c, number, "need", 0);
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
  const bool only_lines = argc > 3 && std::strcmp(argv[3], "lines") == 0;
  return run_program(argc, argv, [&](oshen_group_t* group, random_source& random, random_source& delays) {
    for (int i = 0; i < cases; i++)
      check_case(group, make_case(random, only_lines, shmem_my_pe(), shmem_n_pes()), i, delays);
  });
}
