// The random cases of fft_transforms.
#pragma once

#include <complex>

#include "random_boxes.hpp"

using complex = std::complex<double>;

struct test_case {
  int extent[3];
  int out_extent[3];
  bool real, real_out, single, in_place, split;
  bool symmetric_in, symmetric_out;
  bool crooked;  // buffers are aligned for their real numbers only
  bool convolution, lent;
  bool line;  // of one axis
  int fields;
  std::size_t in_distance, out_distance;  // elements, this PE's
  boxes in, out;
  oshen_fft_attr_t attr;

  std::size_t points() const { return static_cast<std::size_t>(extent[0] * extent[1] * extent[2]); }
  bool halves() const { return real && !real_out; }
  bool drops() const { return attr.kept[0] + attr.kept[1] + attr.kept[2] != 0; }
};

inline const char* strategy_of(random_source& random) {
  if (random.once_in(2)) return nullptr;
  oshen_strategy_info_t info;
  int rows = 0;
  while (oshen_strategy_at(rows, &info, sizeof info)) rows++;
  oshen_strategy_at(random.below(rows), &info, sizeof info);
  return info.name;
}

// A random transform for this axis, of those that the case's kind permits.
inline oshen_fft_along_t along(random_source& random, const test_case& c, int axis) {
  const bool halved = c.halves() && axis == c.attr.halved_axis;
  if (halved || (!c.real_out && !random.once_in(3))) return OSHEN_FFT_FOURIER;
  if (axis > 0 && random.once_in(5)) return OSHEN_FFT_NOTHING;
  const auto any = static_cast<oshen_fft_along_t>(OSHEN_FFT_DCT1 + random.below(OSHEN_FFT_HC2R - OSHEN_FFT_NOTHING));
  return any == OSHEN_FFT_DCT1 && c.extent[axis] < 2 ? OSHEN_FFT_DCT2 : any;
}

// Powers, products of small primes, primes, and lengths with few divisors, along a random axis.
inline void make_line(random_source& random, test_case& c) {
  constexpr int lengths[] = {2, 4, 6, 9, 64, 97, 105, 106, 128, 243, 250, 1024, 1155, 2310};
  const int any = random.below(2 * static_cast<int>(std::size(lengths)));
  std::fill_n(c.extent, 3, 1);
  c.extent[random.once_in(3) ? random.below(3) : 0] = any < std::ssize(lengths) ? lengths[any] : 2 + random.below(300);
}

inline int divisor(random_source& random, int of) {
  int found = 1 + random.below(of);
  while (of % found != 0) found--;
  return found;
}

// Keeps some modes along some axes.
inline void keep_modes(random_source& random, test_case& c) {
  if (c.attr.columns != 0 || !random.once_in(3)) return;
  for (int axis = 0; axis < 3; axis++) {
    const oshen_fft_along_t along = c.attr.along[axis];
    if (along == OSHEN_FFT_NOTHING || along == OSHEN_FFT_HC2R || random.once_in(4)) continue;
    c.attr.kept[axis] = 1 + random.below(c.out_extent[axis]);
    c.out_extent[axis] = c.attr.kept[axis];
  }
}

// The array in memory that holds a box: mostly dense, else with room along some axes; with `padded` also with FFTW's
// padding along that axis.
inline void random_embed(random_source& random, const oshen_fft_box_t& box, int padded, sizes3& embed) {
  const bool has_room = random.once_in(3), has_padding = padded >= 0 && random.once_in(2);
  for (int a = 0; a < 3; a++) {
    const int size = std::max(box.size[a], 0);
    if (has_padding && a == padded)
      embed[a] = static_cast<std::size_t>(2 * (size / 2 + 1));
    else if (has_room && random.once_in(2))
      embed[a] = static_cast<std::size_t>(size + random.below(4));
  }
}

inline test_case make_case(random_source& random, bool only_lines, int me, int pes) {
  test_case c{};
  for (int& e : c.extent) e = random.once_in(6) ? 1 : 2 + random.below(15);
  c.line = only_lines || random.once_in(4);
  if (c.line) make_line(random, c);
  c.real = random.once_in(c.line ? 6 : 2);
  c.real_out = c.real && random.once_in(2);
  const int halved = c.halves() ? random.below(3) : 0;
  c.attr.halved_axis = halved;
  if (!c.line || c.real)
    for (int axis = 0; axis < 3; axis++) c.attr.along[axis] = along(random, c, axis);
  if (c.line && !c.real && random.once_in(2)) c.attr.columns = divisor(random, static_cast<int>(c.points()));
  c.convolution = random.once_in(4);
  c.lent = random.once_in(4);
  c.single = random.once_in(3);
  c.in_place = random.once_in(2);
  c.split = random.once_in(2);
  c.fields = random.once_in(3) ? 3 : 1;
  std::copy(c.extent, c.extent + 3, c.out_extent);
  if (c.halves()) c.out_extent[halved] = c.extent[halved] / 2 + 1;
  keep_modes(random, c);
  c.in = random_boxes(random, c.extent, pes);
  c.out = !c.halves() && !c.drops() && random.once_in(4) ? c.in : random_boxes(random, c.out_extent, pes);
  const auto mine = static_cast<std::size_t>(me);
  const std::size_t gap = random.once_in(2) ? 5 : 0;
  oshen_fft_attr_t& a = c.attr;
  random_embed(random, c.in[mine], c.halves() ? halved : -1, a.in_embed);
  random_embed(random, c.out[mine], -1, a.out_embed);
  c.in_distance = embedded_volume(c.in[mine], a.in_embed) + gap;
  c.out_distance = embedded_volume(c.out[mine], a.out_embed) + gap;
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
             : random.once_in(4) ? OSHEN_FFT_AUTO
                                 : OSHEN_FFT_ESTIMATE;
  a.decomposition = static_cast<oshen_fft_decomposition_t>(random.below(4));
  a.strategy = strategy_of(random);
  c.symmetric_in = random.once_in(2);
  c.symmetric_out = random.once_in(2);
  c.crooked = random.once_in(2);
  a.buffers = (c.symmetric_in ? OSHEN_IN_SYMMETRIC : 0) | (c.symmetric_out ? OSHEN_OUT_SYMMETRIC : 0);
  return c;
}
