// The expected results of a case: those of FFTW on the whole array.
#pragma once

#include <fftw3.h>

#include <cmath>

#include "transform_case.hpp"

// The whole input; its imaginary part is 0 if the transform is real.
inline std::vector<complex> whole_input(const test_case& c, int field) {
  std::vector<complex> data(c.points());
  for (std::size_t i = 0; i < data.size(); i++) {
    const double x = static_cast<double>(i) + 1000.0 * field;
    data[i] = {std::sin(x * 1.7) + std::cos(x * x * 0.01), c.real ? 0 : std::cos(x * 2.3)};
  }
  return data;
}

// FFTW's kind, or that of the inverse.
inline fftw_r2r_kind kind_of(oshen_fft_along_t along, bool forward) {
  constexpr fftw_r2r_kind there[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT10,
                                     FFTW_RODFT01, FFTW_RODFT11, FFTW_DHT,     FFTW_R2HC,    FFTW_HC2R};
  constexpr fftw_r2r_kind back[] = {FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT01,
                                    FFTW_RODFT10, FFTW_RODFT11, FFTW_DHT,     FFTW_HC2R,    FFTW_R2HC};
  return (forward ? there : back)[along - OSHEN_FFT_DCT1];
}

inline double logical_length(const test_case& c, int axis) {
  const double n = c.extent[axis];
  switch (c.attr.along[axis]) {
    case OSHEN_FFT_NOTHING: return 1;
    case OSHEN_FFT_DCT1: return 2 * (n - 1);
    case OSHEN_FFT_DST1: return 2 * (n + 1);
    case OSHEN_FFT_FOURIER:
    case OSHEN_FFT_HARTLEY:
    case OSHEN_FFT_R2HC:
    case OSHEN_FFT_HC2R: return n;
    default: return 2 * n;
  }
}
inline double logical_points(const test_case& c) {
  return logical_length(c, 0) * logical_length(c, 1) * logical_length(c, 2);
}

// FFTW along one axis of a whole complex array; real data stays real.
inline void transform_along(const test_case& c, std::vector<complex>& data, int axis, bool forward) {
  const int stride[3] = {1, c.extent[0], c.extent[0] * c.extent[1]};
  const oshen_fft_along_t along = c.attr.along[axis];
  if (along == OSHEN_FFT_NOTHING) return;
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

inline void transform_whole(const test_case& c, std::vector<complex>& data, bool forward) {
  for (int axis = 0; axis < 3; axis++) transform_along(c, data, axis, forward);
}

// The place along an axis of the whole spectrum of the kept mode number `p`.
inline int place_of(const test_case& c, int axis, int p) {
  const oshen_fft_along_t along = c.attr.along[axis];
  const bool both_ends = along == OSHEN_FFT_FOURIER || along == OSHEN_FFT_HARTLEY || along == OSHEN_FFT_R2HC;
  const int kept = c.attr.kept[axis];
  if (kept == 0 || !both_ends || (c.halves() && axis == c.attr.halved_axis) || p < (kept + 1) / 2) return p;
  return c.extent[axis] - kept + p;
}

// The indices in the whole spectrum of the numbers that the output holds.
inline std::vector<std::size_t> kept_indices(const test_case& c) {
  std::vector<std::size_t> indices;
  for (int z = 0; z < c.out_extent[2]; z++)
    for (int y = 0; y < c.out_extent[1]; y++)
      for (int x = 0; x < c.out_extent[0]; x++)
        indices.push_back(static_cast<std::size_t>((place_of(c, 2, z) * c.extent[1] + place_of(c, 1, y)) * c.extent[0] +
                                                   place_of(c, 0, x)));
  return indices;
}

// Fills the second half of each line along the halved axis, as a transform to real numbers takes it to be.
inline void mirror(const test_case& c, std::vector<complex>& data) {
  const int h = c.attr.halved_axis, n = c.extent[h];
  const int stride[3] = {1, c.extent[0], c.extent[0] * c.extent[1]};
  for (std::size_t i = 0; i < data.size(); i++) {
    const int k = static_cast<int>(i) / stride[h] % n;
    if (k == 0 || 2 * k == n) data[i].imag(0);
    if (2 * k > n) data[i] = std::conj(data[i - static_cast<std::size_t>((2 * k - n) * stride[h])]);
  }
}

// The backward transform of a whole spectrum, of which only the numbers that the output holds count. With scale FULL.
inline void transform_back(const test_case& c, std::vector<complex>& data) {
  std::vector<complex> spectrum(data.size());
  for (const std::size_t i : kept_indices(c)) spectrum[i] = data[i] / logical_points(c);
  data = spectrum;
  if (!c.halves()) return transform_whole(c, data, false);
  for (int axis = 0; axis < 3; axis++)
    if (axis != c.attr.halved_axis) transform_along(c, data, axis, false);
  mirror(c, data);
  transform_along(c, data, c.attr.halved_axis, false);
}

// A spectrum that is left in columns.
inline std::vector<complex> transposed(const test_case& c, const std::vector<complex>& data) {
  const std::size_t columns = static_cast<std::size_t>(c.attr.columns), rows = data.size() / columns;
  std::vector<complex> result;
  for (std::size_t p = 0; p < data.size(); p++) result.push_back(data[p / columns + p % columns * rows]);
  return result;
}

// The part of a whole spectrum that the output holds.
inline std::vector<complex> half_of(const test_case& c, const std::vector<complex>& data) {
  if (c.attr.columns != 0) return transposed(c, data);
  std::vector<complex> half;
  for (const std::size_t i : kept_indices(c)) half.push_back(data[i]);
  return half;
}

inline std::vector<complex> whole_output(const test_case& c, int field) {
  std::vector<complex> data = whole_input(c, field);
  transform_whole(c, data, true);
  return half_of(c, data);
}

// The array that a backward transform makes of the spectrum of the input.
inline std::vector<complex> whole_return(const test_case& c, int field) {
  std::vector<complex> data = whole_input(c, field);
  if (!c.drops()) return data;
  transform_whole(c, data, true);
  transform_back(c, data);
  return data;
}

// Factors of a convolution: real if the numbers are, and those of a real array if it is halved.
inline std::vector<complex> whole_factors(const test_case& c) {
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

inline std::vector<complex> whole_convolution(const test_case& c, int field) {
  std::vector<complex> data = whole_input(c, field);
  const std::vector<complex> factors = whole_factors(c);
  transform_whole(c, data, true);
  for (std::size_t i = 0; i < data.size(); i++) data[i] *= factors[i];
  transform_back(c, data);
  return data;
}
