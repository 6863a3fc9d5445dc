/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C++ interface of heFFTe on processors, carried out by Oshen: box3d, fft3d, fft3d_r2c, and the functions that
 * split an array.
 *
 *     heffte::fft3d<heffte::backend::fftw> fft(inbox, outbox, MPI_COMM_WORLD);
 *     std::vector<std::complex<double>> out(fft.size_outbox());
 *     fft.forward(in.data(), out.data(), heffte::scale::full);
 *
 * A program of heFFTe compiles unchanged with the folder oshen/drop_in among its include folders, which has heffte.h,
 * and links Oshen in place of heFFTe:
 *
 *     mpicxx -I$(pkg-config --variable=includedir oshen)/oshen/drop_in $(pkg-config --cflags oshen-fft) program.cpp \
 *       $(pkg-config --libs oshen-fft)
 *
 * Constructors and transforms are collective over the communicator, which must stay valid as long as the object.
 * oshen/mpi_plans.h describes what the first constructor starts, and which communicators later ones accept. The
 * constructor finds boxes that do not cover the array and throws std::invalid_argument on all ranks. The first
 * transform of each precision and batch size makes the plan. Other errors print one line and end the MPI job. Ranks
 * destroy their objects in the same order. An object that outlives MPI_Finalize is harmless.
 *
 * Differences: the backends fftw, stock and mkl are the same, and those for GPUs do not exist. Work memory belongs to
 * Oshen: `workspace` is used only for real input of fft3d. Of plan_options, use_pencils = false asks for slabs; the
 * other options have no effect.
 */
#ifndef OSHEN_HEFFTE_HPP
#define OSHEN_HEFFTE_HPP

#if __cplusplus < 201703L
#error "oshen/heffte.hpp needs C++17: compile with -std=c++17"
#endif

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heffte_backends.hpp"
#include "heffte_boxes.hpp"
#include "mpi_fft.h"

namespace heffte {

// ---- options and types

enum class scale { none, full, symmetric };

enum class reshape_algorithm { alltoallv = 0, p2p_plined = 1, p2p = 2, alltoall = 3 };

struct plan_options {
  template <typename tag>
  explicit plan_options(tag) {}
  plan_options(bool reorder, reshape_algorithm how, bool pencils)
      : use_reorder(reorder), algorithm(how), use_pencils(pencils) {}
  void use_num_subranks(int) {}
  void use_subcomm(MPI_Comm) {}

  bool use_reorder = true;
  reshape_algorithm algorithm = reshape_algorithm::alltoallv;
  bool use_pencils = true;
  bool use_gpu_aware = false;
};

template <typename tag>
plan_options default_options() {
  return plan_options(tag());
}

/** The options as heFFTe prints them. */
inline std::ostream& operator<<(std::ostream& to, const plan_options& options) {
  static constexpr const char* algorithms[] = {"mpi:alltoallv", "mpi:point-to-point-pipelined", "mpi:point-to-point",
                                               "mpi:alltoall"};
  return to << "options = (" << (options.use_reorder ? "fft1d:contiguous" : "fft1d:strided") << ", "
            << algorithms[static_cast<int>(options.algorithm)] << ", "
            << (options.use_pencils ? "decomposition:pencil" : "decomposition:slab") << ", "
            << (options.use_gpu_aware ? "mpi:from-gpu" : "mpi:from-cpu") << ')';
}

/** Traces of heFFTe: accepted, nothing is written. Time by phase: oshen_fft_stats. */
inline void init_tracing(const std::string&) {}
inline void finalize_tracing() {}
struct add_trace {
  explicit add_trace(const std::string&) {}
};

/** Complex types of single and of double precision. FFTW's types are arrays of two numbers in C++. Other types are
 * added by specialising these. */
template <typename T>
struct is_ccomplex
    : std::integral_constant<bool, std::is_same<T, std::complex<float>>::value || std::is_same<T, float[2]>::value> {};
template <typename T>
struct is_zcomplex
    : std::integral_constant<bool, std::is_same<T, std::complex<double>>::value || std::is_same<T, double[2]>::value> {
};

// ---- transforms

namespace detail {

template <typename T>
constexpr bool is_complex = is_ccomplex<T>::value || is_zcomplex<T>::value;
template <typename T>
constexpr bool is_single = is_ccomplex<T>::value || std::is_same<T, float>::value;
template <typename T>
constexpr bool is_known = is_complex<T> || is_single<T> || std::is_same<T, double>::value;
template <typename T>
using real_of = std::conditional_t<is_single<T>, float, double>;

inline oshen_fft_scale_t plain(scale how) {
  return how == scale::none   ? OSHEN_FFT_SCALE_NONE
         : how == scale::full ? OSHEN_FFT_SCALE_FULL
                              : OSHEN_FFT_SCALE_SYMMETRIC;
}

template <typename index>
oshen_fft_box_t plain(const box3d<index>& box) {
  oshen_fft_box_t to{};
  for (std::size_t a = 0; a < 3; a++) {
    if (!box.empty() && (box.low[a] < 0 || box.high[a] >= INT_MAX))
      throw std::invalid_argument("heffte: a box is out of range: expected indexes from 0 to 2147483646");
    to.low[a] = static_cast<int>(box.low[a]);
    to.size[a] = box.empty() ? 0 : static_cast<int>(box.size[a]);
    to.order[a] = box.order[a];
  }
  return to;
}

/* One geometry, and its plans: one for each precision and batch size. */
template <typename index>
class plans {
 public:
  plans(MPI_Comm comm, const box3d<index>& in, const box3d<index>& out, const oshen_fft_attr_t& attr)
      : inbox(in), outbox(out), comm_(comm), attr_(attr) {
    oshen_group_from_mpi_comm(comm);
  }
  plans(const plans&) = delete;
  plans& operator=(const plans&) = delete;
  ~plans() {
    if (oshen_mpi_common_job() < 0) return;  // MPI_Finalize has taken back the memory of the plans
    for (const auto& made : made_) oshen_fft_destroy(made.second);
  }

  oshen_fft_t* plan(bool single, int batch) {
    oshen_fft_t*& made = made_[{single, batch}];
    if (made != nullptr) return made;
    oshen_fft_attr_t attr = attr_;
    attr.precision = single ? OSHEN_FFT_FLOAT : OSHEN_FFT_DOUBLE;
    attr.fields = batch;
    return made = oshen_fft_create_mpi(comm_, &attr);
  }

  const box3d<index> inbox, outbox;

 private:
  MPI_Comm comm_;
  oshen_fft_attr_t attr_;
  std::map<std::pair<bool, int>, oshen_fft_t*> made_;
};

/* The extent of the array that the boxes of all ranks cover. */
inline std::array<int, 3> common_extent(MPI_Comm comm, const oshen_fft_box_t& box, const char* complaint) {
  std::array<int, 3> mine{}, all{};
  long long points = 1, sum = 0;
  for (std::size_t a = 0; a < 3; a++) {
    points *= box.size[a];
    mine[a] = box.size[a] > 0 ? box.low[a] + box.size[a] : 0;
  }
  MPI_Allreduce(mine.data(), all.data(), 3, MPI_INT, MPI_MAX, comm);
  MPI_Allreduce(&points, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
  if (sum == 0 || sum != static_cast<long long>(all[0]) * all[1] * all[2]) throw std::invalid_argument(complaint);
  return all;
}

/* The common part of fft3d and fft3d_r2c. */
template <typename tag, typename index, bool halves>
class transform {
  using what = backend::is_enabled<tag>;
  static_assert(std::is_same<index, int>::value || std::is_same<index, long long>::value,
                "expected boxes of int or long long");
  static_assert(what::value, "this backend does not exist in Oshen: use heffte::backend::fftw");
  static_assert(!halves || what::kind == OSHEN_FFT_COMPLEX, "fft3d_r2c needs a backend without _cos or _sin");

  static constexpr bool fourier = what::kind == OSHEN_FFT_COMPLEX;
  template <typename T>
  using spectrum_of = std::conditional_t<fourier, std::complex<real_of<T>>, T>;
  /* Real numbers that a complex transform takes or returns. */
  template <typename T>
  static constexpr bool widened = fourier && !halves && !is_complex<T>;
  template <typename T, typename spectrum>
  static constexpr bool fit = is_known<T> && is_known<spectrum> && is_single<T> == is_single<spectrum> &&
                              is_complex<spectrum> == fourier && (!is_complex<T> || (fourier && !halves));

 public:
  template <typename T>
  using buffer_container = std::vector<T>;

  long long size_inbox() const { return plans_->inbox.count(); }
  long long size_outbox() const { return plans_->outbox.count(); }
  box3d<index> inbox() const { return plans_->inbox; }
  box3d<index> outbox() const { return plans_->outbox; }
  /** In complex numbers, for each array of a batch. */
  std::size_t size_workspace() const { return fourier && !halves ? static_cast<std::size_t>(size_inbox()) : 0; }
  /** The factor of scale::symmetric, or of scale::full. */
  double get_scale_factor(scale how) const { return how == scale::symmetric ? std::sqrt(factor_) : factor_; }

  template <typename in_type, typename out_type>
  void forward(int batch, const in_type in[], out_type out[], out_type workspace[], scale how = scale::none) const {
    static_assert(fit<in_type, out_type>, "expected numbers of one precision, and a result that the backend produces");
    const void* from = in;
    if constexpr (widened<in_type>) {
      auto* const wide = reinterpret_cast<std::complex<in_type>*>(workspace);
      std::copy_n(in, batch * size_inbox(), wide);
      from = wide;
    }
    (void)workspace;
    oshen_fft_forward(plans_->plan(is_single<in_type>, batch), from, out, plain(how));
  }
  template <typename in_type, typename out_type>
  void forward(int batch, const in_type in[], out_type out[], scale how = scale::none) const {
    auto workspace = temporary<in_type>(batch);
    forward(batch, in, out, reinterpret_cast<out_type*>(workspace.data()), how);
  }
  template <typename in_type, typename out_type>
  void forward(const in_type in[], out_type out[], out_type workspace[], scale how = scale::none) const {
    forward(1, in, out, workspace, how);
  }
  template <typename in_type, typename out_type>
  void forward(const in_type in[], out_type out[], scale how = scale::none) const {
    forward(1, in, out, how);
  }
  template <typename in_type>
  std::vector<spectrum_of<in_type>> forward(const std::vector<in_type>& in, scale how = scale::none) const {
    demand(in, size_inbox());
    std::vector<spectrum_of<in_type>> out(static_cast<std::size_t>(size_outbox()));
    forward(in.data(), out.data(), how);
    return out;
  }

  template <typename in_type, typename out_type>
  void backward(int batch, const in_type in[], out_type out[], in_type workspace[], scale how = scale::none) const {
    static_assert(fit<out_type, in_type>, "expected numbers of one precision, and a spectrum that the backend takes");
    oshen_fft_t* const plan = plans_->plan(is_single<in_type>, batch);
    (void)workspace;
    if constexpr (widened<out_type>) {
      auto* const wide = reinterpret_cast<std::complex<out_type>*>(workspace);
      oshen_fft_backward(plan, in, wide, plain(how));
      std::transform(wide, wide + batch * size_inbox(), out, [](const auto& z) { return z.real(); });
    } else {
      oshen_fft_backward(plan, in, out, plain(how));
    }
  }
  template <typename in_type, typename out_type>
  void backward(int batch, const in_type in[], out_type out[], scale how = scale::none) const {
    auto workspace = temporary<out_type>(batch);
    backward(batch, in, out, reinterpret_cast<in_type*>(workspace.data()), how);
  }
  template <typename in_type, typename out_type>
  void backward(const in_type in[], out_type out[], in_type workspace[], scale how = scale::none) const {
    backward(1, in, out, workspace, how);
  }
  template <typename in_type, typename out_type>
  void backward(const in_type in[], out_type out[], scale how = scale::none) const {
    backward(1, in, out, how);
  }

 protected:
  /* axis: the one that real numbers halve. */
  transform(const box3d<index>& in, const box3d<index>& out, int axis, MPI_Comm comm, const plan_options& options) {
    oshen_mpi_check_comm("heffte", comm);
    oshen_fft_attr_t attr{};
    attr.size = sizeof attr;
    attr.in = plain(in);
    attr.out = plain(out);
    attr.kind = halves ? OSHEN_FFT_REAL : what::kind;
    attr.halved_axis = axis;
    attr.decomposition = options.use_pencils ? OSHEN_FFT_ANY : OSHEN_FFT_SLABS;
    const auto n = common_extent(comm, attr.in, "heffte: the input boxes do not cover an array from index 0 on");
    const auto spectrum =
        common_extent(comm, attr.out, "heffte: the output boxes do not cover an array from index 0 on");
    double length = 1;
    for (int a = 0; a < 3; a++) {
      const int size = n[static_cast<std::size_t>(a)];
      if (spectrum[static_cast<std::size_t>(a)] != (halves && a == axis ? size / 2 + 1 : size))
        throw std::invalid_argument("heffte: the output boxes do not cover the spectrum of the input boxes");
      attr.extent[a] = size;
      attr.along[a] = what::along;
      length *= length_of(size);
    }
    factor_ = 1 / length;
    plans_.reset(new plans<index>(comm, in, out, attr));
  }

  template <typename out_type, typename in_type>
  std::vector<out_type> returned(const std::vector<in_type>& in, scale how) const {
    demand(in, size_outbox());
    std::vector<out_type> out(static_cast<std::size_t>(size_inbox()));
    backward(in.data(), out.data(), how);
    return out;
  }

 private:
  /* The length of an axis of n numbers, as oshen_fft_along_t defines it. */
  static double length_of(int n) {
    if (what::along == OSHEN_FFT_DCT1) return 2.0 * (n - 1);
    if (what::along == OSHEN_FFT_DST1) return 2.0 * (n + 1);
    return fourier ? n : 2.0 * n;
  }
  template <typename T>
  static void demand(const std::vector<T>& buffer, long long elements) {
    if (buffer.size() < static_cast<std::size_t>(elements))
      throw std::invalid_argument("heffte: the vector has fewer elements than the box");
  }
  template <typename T>
  std::vector<std::complex<real_of<T>>> temporary(int batch) const {
    return std::vector<std::complex<real_of<T>>>(widened<T> ? static_cast<std::size_t>(batch) * size_workspace() : 0);
  }

  double factor_ = 1;
  std::unique_ptr<plans<index>> plans_;
};

inline int checked_axis(int axis) {
  if (axis < 0 || axis > 2) throw std::invalid_argument("heffte::fft3d_r2c: the axis is out of range: expected 0 to 2");
  return axis;
}

}  // namespace detail

/** A transform of complex numbers. The input of `forward` and the output of `backward` may be real: the imaginary part
 * is then 0 or dropped. With a backend of sines or cosines all numbers are real. A batch is contiguous. */
template <typename tag, typename index = int>
class fft3d : public detail::transform<tag, index, false> {
  using base = detail::transform<tag, index, false>;

 public:
  fft3d(const box3d<index>& in, const box3d<index>& out, MPI_Comm comm,
        const plan_options& options = default_options<tag>())
      : base(in, out, 0, comm, options) {}
  /** The stream is that of a device, for processors nullptr. */
  fft3d(void*, const box3d<index>& in, const box3d<index>& out, MPI_Comm comm,
        const plan_options& options = default_options<tag>())
      : fft3d(in, out, comm, options) {}

  using base::backward;
  template <typename T>
  std::vector<T> backward(const std::vector<T>& in, scale how = scale::none) const {
    return this->template returned<T>(in, how);
  }
  template <typename T>
  std::vector<detail::real_of<T>> backward_real(const std::vector<T>& in, scale how = scale::none) const {
    return this->template returned<detail::real_of<T>>(in, how);
  }
};

/** A transform of real numbers to the half of their spectrum that is not redundant along `axis`, and back. */
template <typename tag, typename index = int>
class fft3d_r2c : public detail::transform<tag, index, true> {
  using base = detail::transform<tag, index, true>;

 public:
  fft3d_r2c(const box3d<index>& in, const box3d<index>& out, int axis, MPI_Comm comm,
            const plan_options& options = default_options<tag>())
      : base(in, out, detail::checked_axis(axis), comm, options) {}
  fft3d_r2c(void*, const box3d<index>& in, const box3d<index>& out, int axis, MPI_Comm comm,
            const plan_options& options = default_options<tag>())
      : fft3d_r2c(in, out, axis, comm, options) {}

  using base::backward;
  template <typename T>
  std::vector<detail::real_of<T>> backward(const std::vector<T>& in, scale how = scale::none) const {
    return this->template returned<detail::real_of<T>>(in, how);
  }
};

template <typename tag, typename index = int>
using fft2d = fft3d<tag, index>;
template <typename tag, typename index = int>
using fft2d_r2c = fft3d_r2c<tag, index>;
template <typename tag, typename index = int>
using rtransform = fft3d<tag, index>;

template <typename tag, typename index>
fft3d<tag, index> make_fft3d(const box3d<index>& in, const box3d<index>& out, MPI_Comm comm,
                             const plan_options& options = default_options<tag>()) {
  return fft3d<tag, index>(in, out, comm, options);
}
template <typename tag, typename index>
fft3d_r2c<tag, index> make_fft3d_r2c(const box3d<index>& in, const box3d<index>& out, int axis, MPI_Comm comm,
                                     const plan_options& options = default_options<tag>()) {
  return fft3d_r2c<tag, index>(in, out, axis, comm, options);
}

}  // namespace heffte
#endif
