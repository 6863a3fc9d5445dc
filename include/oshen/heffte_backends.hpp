/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The backends of heFFTe's interface on processors, with their names and containers. Include oshen/heffte.hpp. */
#ifndef OSHEN_HEFFTE_BACKENDS_HPP
#define OSHEN_HEFFTE_BACKENDS_HPP

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "fft.h"

#ifndef Heffte_ENABLE_FFTW
#define Heffte_ENABLE_FFTW
#endif

namespace heffte {

/** The place of the data. There is no backend of Oshen for tag::gpu. */
namespace tag {
struct cpu {};
struct gpu {};
}  // namespace tag

namespace backend {

struct fftw {};
struct stock {};
struct mkl {};
struct fftw_cos {};
struct stock_cos {};
struct mkl_cos {};
struct fftw_sin {};
struct stock_sin {};
struct mkl_sin {};
struct fftw_cos1 {};
struct fftw_sin1 {};

/* The transform of a backend along each axis. */
template <oshen_fft_kind_t of_kind, oshen_fft_along_t of_axis>
struct transform_of {
  static constexpr bool value = true;
  static constexpr oshen_fft_kind_t kind = of_kind;
  static constexpr oshen_fft_along_t along = of_axis;
};

template <typename tag>
struct is_enabled : std::false_type {};
template <>
struct is_enabled<fftw> : transform_of<OSHEN_FFT_COMPLEX, OSHEN_FFT_FOURIER> {};
template <>
struct is_enabled<stock> : is_enabled<fftw> {};
template <>
struct is_enabled<mkl> : is_enabled<fftw> {};
template <>
struct is_enabled<fftw_cos> : transform_of<OSHEN_FFT_REAL_TO_REAL, OSHEN_FFT_DCT2> {};
template <>
struct is_enabled<stock_cos> : is_enabled<fftw_cos> {};
template <>
struct is_enabled<mkl_cos> : is_enabled<fftw_cos> {};
template <>
struct is_enabled<fftw_sin> : transform_of<OSHEN_FFT_REAL_TO_REAL, OSHEN_FFT_DST2> {};
template <>
struct is_enabled<stock_sin> : is_enabled<fftw_sin> {};
template <>
struct is_enabled<mkl_sin> : is_enabled<fftw_sin> {};
template <>
struct is_enabled<fftw_cos1> : transform_of<OSHEN_FFT_REAL_TO_REAL, OSHEN_FFT_DCT1> {};
template <>
struct is_enabled<fftw_sin1> : transform_of<OSHEN_FFT_REAL_TO_REAL, OSHEN_FFT_DST1> {};

/** The backend for a place of the data. */
template <typename location>
struct default_backend {};
template <>
struct default_backend<heffte::tag::cpu> {
  using type = fftw;
};

/** The name as heFFTe prints it. */
template <typename tag>
std::string name() {
  return "unknown";
}
template <>
inline std::string name<fftw>() {
  return "fftw";
}
template <>
inline std::string name<stock>() {
  return "stock";
}
template <>
inline std::string name<mkl>() {
  return "mkl";
}
template <>
inline std::string name<fftw_cos>() {
  return "fftw-cos-type-II";
}
template <>
inline std::string name<stock_cos>() {
  return "stock-cos-type-II";
}
template <>
inline std::string name<mkl_cos>() {
  return "mkl-cos-type-II";
}
template <>
inline std::string name<fftw_sin>() {
  return "fftw-sin-type-II";
}
template <>
inline std::string name<stock_sin>() {
  return "stock-sin-type-II";
}
template <>
inline std::string name<mkl_sin>() {
  return "mkl-sin-type-II";
}
template <>
inline std::string name<fftw_cos1>() {
  return "fftw-cos-type-I";
}
template <>
inline std::string name<fftw_sin1>() {
  return "fftw-sin-type-I";
}

template <typename tag>
struct uses_gpu : std::false_type {};

/** The place of a backend's data, and the container for it. */
template <typename tag, typename = void>
struct buffer_traits {
  using location = heffte::tag::cpu;
  template <typename T>
  using container = std::vector<T>;
};

/** A queue of a device. Processors have none. */
template <typename location>
struct device_instance {
  using stream_type = void*;
  explicit device_instance(void* = nullptr) {}
  virtual ~device_instance() = default;
  void* stream() const { return nullptr; }
  void synchronize_device() const {}
};

}  // namespace backend

/** A container for `count` numbers. The stream is that of a device, for processors nullptr. */
template <typename T>
std::vector<T> make_buffer_container(void*, std::size_t count) {
  return std::vector<T>(count);
}

}  // namespace heffte
#endif
