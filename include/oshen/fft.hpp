/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The FFT for C++20: oshen/fft.h with RAII, typed buffers and exceptions. Header-only.
 *
 *     oshen::fft_box slab{.low = {0, 0, 64 * me}, .size = {128, 128, 64}};
 *     oshen::complex_fft<double> fft(group, {128, 128, 128}, slab, slab);
 *     std::vector<std::complex<double>> data(fft.in_elements());
 *     fft.forward(data, data);
 *     fft.backward(data, data, OSHEN_FFT_SCALE_FULL);
 *
 * Groups are those of oshen/exchange.hpp. Transforms are created, run and destroyed collectively over the group. They
 * can be moved but not copied. If a C call returns an error, status_error is thrown on all PEs of the group. For
 * transforms and threads see oshen/fft.h.
 */
#ifndef OSHEN_FFT_HPP
#define OSHEN_FFT_HPP

#include <oshen/fft.h>
#include <oshen/exchange.hpp>  // an error before C++20

#if __cplusplus >= 202002L

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <string>

namespace oshen {

using fft_box = oshen_fft_box_t;

/** The box of a member of a grid. */
inline fft_box box_of(const grid& cut, int member) {
  const grid::part mine = cut.box(member);
  fft_box box{};
  std::copy(mine.low.begin(), mine.low.end(), box.low);
  std::copy(mine.size.begin(), mine.size.end(), box.size);
  return box;
}

/** Optional attributes; oshen_fft_attr_t explains each. */
struct fft_options {
  oshen_fft_effort_t effort = OSHEN_FFT_ESTIMATE;
  oshen_fft_decomposition_t decomposition = OSHEN_FFT_ANY;
  const char* strategy = nullptr;
  unsigned buffers = 0;
  int fields = 1; /* contiguous */
  int halved_axis = 0;
  std::array<oshen_fft_along_t, 3> along{}; /* transform of each axis */
  std::span<std::byte> workspace{};         /* empty: allocated in the arena */
  int columns = 0;                          /* of a transposed spectrum of one axis: see line_of */
  int expected_runs = 0;                    /* 0: unknown */
  std::array<std::size_t, 3> in_embed{};    /* arrays in memory that hold the boxes; 0: the size of the box */
  std::array<std::size_t, 3> out_embed{};
  std::array<int, 3> kept{}; /* modes of the spectrum along each axis; 0: all */
};

/** The fastest blocks for an array of one axis, extent {length, 1, 1}: of this PE before the transform, and after it
 * in natural order. With options.columns = columns the spectrum is transposed, in the blocks `in`. See
 * oshen_fft_line. */
struct fft_line {
  fft_box in, out;
  int columns;
};
inline fft_line line_of(int length, int members, int member) {
  fft_line line{};
  line.columns = oshen_fft_line(length, members, member, &line.in, &line.out);
  return line;
}

namespace detail {

/* Elements of the arrays in memory. */
inline std::size_t volume(const fft_box& box, int fields, const std::array<std::size_t, 3>& embed) {
  std::size_t elements = static_cast<std::size_t>(fields);
  for (std::size_t a = 0; a < 3; a++) {
    const std::size_t size = box.size[a] > 0 ? static_cast<std::size_t>(box.size[a]) : 0;
    elements *= size > 0 && embed[a] > 0 ? embed[a] : size;
  }
  return elements;
}

template <class Real>
oshen_fft_attr_t attributes(std::array<int, 3> extent, oshen_fft_kind_t kind, const fft_box& in, const fft_box& out,
                            const fft_options& how) {
  oshen_fft_attr_t attr{};
  attr.size = sizeof attr;
  attr.kind = kind;
  attr.precision = std::is_same_v<Real, double> ? OSHEN_FFT_DOUBLE : OSHEN_FFT_FLOAT;
  attr.in = in;
  attr.out = out;
  attr.fields = how.fields;
  attr.effort = how.effort;
  attr.decomposition = how.decomposition;
  attr.strategy = how.strategy;
  attr.buffers = how.buffers;
  attr.halved_axis = how.halved_axis;
  for (std::size_t a = 0; a < 3; a++) {
    attr.extent[a] = extent[a];
    attr.along[a] = how.along[a];
    attr.in_embed[a] = how.in_embed[a];
    attr.out_embed[a] = how.out_embed[a];
    attr.kept[a] = how.kept[a];
  }
  attr.workspace = how.workspace.data();
  attr.workspace_bytes = how.workspace.size();
  attr.columns = how.columns;
  attr.expected_runs = how.expected_runs;
  return attr;
}

inline std::string description(const oshen_fft_t* fft) {
  std::string text(oshen_fft_describe(fft, nullptr, 0) + 1, '\0');
  oshen_fft_describe(fft, text.data(), text.size());
  text.pop_back();
  return text;
}

inline oshen_fft_t* made(oshen_group_t* group, const oshen_fft_attr_t& attr) {
  oshen_fft_t* fft = nullptr;
  demand(oshen_fft_create(group, &attr, &fft), "oshen_fft_create");
  return fft;
}

inline oshen_fft_need_t needed(oshen_group_t* group, const oshen_fft_attr_t& attr) {
  oshen_fft_need_t bytes;
  demand(oshen_fft_need(group, &attr, &bytes, sizeof bytes), "oshen_fft_need");
  return bytes;
}

template <class Real, oshen_fft_kind_t kind>
using spectrum_number = std::conditional_t<kind == OSHEN_FFT_REAL_TO_REAL, Real, std::complex<Real>>;

/** A transform of any kind, from elements of type In to those of its spectrum, and back. */
template <class Real, class In, oshen_fft_kind_t kind>
  requires std::is_same_v<Real, double> || std::is_same_v<Real, float>
class transform {
 public:
  using in_type = In;
  using out_type = spectrum_number<Real, kind>;

  /** in, out: boxes of this PE in the input and output of `forward`. Collective over the group. */
  transform(oshen_group_t* group, std::array<int, 3> extent, const fft_box& in, const fft_box& out,
            const fft_options& how = {})
      : in_elements_(volume(in, how.fields, how.in_embed)),
        out_elements_(volume(out, how.fields, how.out_embed)),
        it_(made(group, attributes<Real>(extent, kind, in, out, how))) {}
  /** Memory of such a transform. Collective over the group; see oshen_fft_need. */
  static oshen_fft_need_t need(oshen_group_t* group, std::array<int, 3> extent, const fft_box& in, const fft_box& out,
                               const fft_options& how = {}) {
    return needed(group, attributes<Real>(extent, kind, in, out, how));
  }
  operator oshen_fft_t*() const { return it_.get(); }

  /** Number of elements of the arrays on this PE, of all fields. */
  std::size_t in_elements() const { return in_elements_; }
  std::size_t out_elements() const { return out_elements_; }

  /** Collective over the group. `in` may be `out`. Throws std::out_of_range, before it sends, if a buffer is too
   * short. */
  void forward(std::span<const In> in, std::span<out_type> out, oshen_fft_scale_t scale = OSHEN_FFT_SCALE_NONE) {
    check(in.size(), out.size());
    oshen_fft_forward(it_.get(), in.data(), out.data(), scale);
  }
  void backward(std::span<const out_type> out, std::span<In> in, oshen_fft_scale_t scale = OSHEN_FFT_SCALE_NONE) {
    check(in.size(), out.size());
    oshen_fft_backward(it_.get(), out.data(), in.data(), scale);
  }
  /** The same in parts: start, any number of tests, wait. */
  void forward_start(std::span<const In> in, std::span<out_type> out, oshen_fft_scale_t scale = OSHEN_FFT_SCALE_NONE) {
    check(in.size(), out.size());
    oshen_fft_forward_start(it_.get(), in.data(), out.data(), scale);
  }
  void backward_start(std::span<const out_type> out, std::span<In> in, oshen_fft_scale_t scale = OSHEN_FFT_SCALE_NONE) {
    check(in.size(), out.size());
    oshen_fft_backward_start(it_.get(), out.data(), in.data(), scale);
  }
  bool test() { return oshen_fft_test(it_.get()) != 0; }
  void wait() { oshen_fft_wait(it_.get()); }

  /** Memory of the transform on this PE, in bytes. */
  oshen_fft_workspace_t workspace() const {
    oshen_fft_workspace_t bytes;
    oshen_fft_workspace(it_.get(), &bytes, sizeof bytes);
    return bytes;
  }
  /** Time and bytes of all runs on this PE, by phase. Between runs. */
  oshen_fft_stats_t stats() const {
    oshen_fft_stats_t of;
    oshen_fft_stats(it_.get(), &of, sizeof of);
    return of;
  }
  /** A readable line: the sequence of layouts, and the transport of the data. */
  std::string describe() const { return description(it_.get()); }

 private:
  void check(std::size_t in, std::size_t out) const {
    demand_size(in, in_elements_, "in");
    demand_size(out, out_elements_, "out");
  }

  std::size_t in_elements_, out_elements_;
  owned<oshen_fft_t, oshen_fft_destroy> it_;
};

/** A forward transform, multiplication by factors, and backward transform: oshen_fft_convolve. */
template <class Real, class In, oshen_fft_kind_t kind>
  requires std::is_same_v<Real, double> || std::is_same_v<Real, float>
class convolution {
 public:
  using in_type = In;
  using factor_type = spectrum_number<Real, kind>;

  /** in: box of this PE before and after; spectrum: its box of factors. Collective over the group. */
  convolution(oshen_group_t* group, std::array<int, 3> extent, const fft_box& in, const fft_box& spectrum,
              const fft_options& how = {})
      : elements_(volume(in, how.fields, how.in_embed)),
        factors_(volume(spectrum, 1, how.out_embed)),
        it_(made(group, asked(extent, in, spectrum, how))) {}
  static oshen_fft_need_t need(oshen_group_t* group, std::array<int, 3> extent, const fft_box& in,
                               const fft_box& spectrum, const fft_options& how = {}) {
    return needed(group, asked(extent, in, spectrum, how));
  }
  operator oshen_fft_t*() const { return it_.get(); }

  /** Numbers of elements, of all fields, and of factors on this PE. */
  std::size_t elements() const { return elements_; }
  std::size_t factors() const { return factors_; }

  /** Sets the factors, which are 1 before. Collective over the group. */
  void set_factors(std::span<const factor_type> factors) {
    demand_size(factors.size(), factors_, "factors");
    demand(oshen_fft_set_factors(it_.get(), factors.data()), "oshen_fft_set_factors");
  }
  /** Collective over the group. `in` may be `out`. With the default scale, factors of 1 give the identity. */
  void run(std::span<const In> in, std::span<In> out, oshen_fft_scale_t scale = OSHEN_FFT_SCALE_FULL) {
    start(in, out, scale);
    wait();
  }
  void start(std::span<const In> in, std::span<In> out, oshen_fft_scale_t scale = OSHEN_FFT_SCALE_FULL) {
    demand_size(in.size(), elements_, "in");
    demand_size(out.size(), elements_, "out");
    oshen_fft_convolve_start(it_.get(), in.data(), out.data(), scale);
  }
  bool test() { return oshen_fft_test(it_.get()) != 0; }
  void wait() { oshen_fft_wait(it_.get()); }
  std::string describe() const { return description(it_.get()); }

 private:
  static oshen_fft_attr_t asked(std::array<int, 3> extent, const fft_box& in, const fft_box& spectrum,
                                const fft_options& how) {
    oshen_fft_attr_t attr = attributes<Real>(extent, kind, in, spectrum, how);
    attr.convolution = 1;
    return attr;
  }

  std::size_t elements_, factors_;
  owned<oshen_fft_t, oshen_fft_destroy> it_;
};

}  // namespace detail

/** Complex to complex. */
template <class Real>
using complex_fft = detail::transform<Real, std::complex<Real>, OSHEN_FFT_COMPLEX>;

/** Real to complex, extent / 2 + 1 elements along the halved axis, and back. */
template <class Real>
using real_fft = detail::transform<Real, Real, OSHEN_FFT_REAL>;

/** Real to real: options.along selects the transform of each axis. */
template <class Real>
using real_to_real_fft = detail::transform<Real, Real, OSHEN_FFT_REAL_TO_REAL>;

/** Convolutions of complex and of real numbers, given by the factors of their spectra. */
template <class Real>
using complex_convolution = detail::convolution<Real, std::complex<Real>, OSHEN_FFT_COMPLEX>;
template <class Real>
using real_convolution = detail::convolution<Real, Real, OSHEN_FFT_REAL>;
template <class Real>
using real_to_real_convolution = detail::convolution<Real, Real, OSHEN_FFT_REAL_TO_REAL>;

}  // namespace oshen
#endif
#endif
