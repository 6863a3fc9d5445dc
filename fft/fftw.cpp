#include "fftw.hpp"

#include <fftw3.h>

#include "tile.hpp"

namespace oshen::fft {
namespace {

using dims = std::vector<fftw_iodim64>;
static_assert(sizeof(fftw_iodim64) == sizeof(fftwf_iodim64));

// FFTW's names for each precision.
template <class T>
struct library;

template <>
struct library<double> {
  using plan = fftw_plan;
  using complex = fftw_complex;
  static constexpr auto plan_complex = fftw_plan_guru64_dft;
  static constexpr auto plan_forward = fftw_plan_guru64_dft_r2c;
  static constexpr auto plan_backward = fftw_plan_guru64_dft_c2r;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct library<float> {
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  static constexpr auto plan_complex = fftwf_plan_guru64_dft;
  static constexpr auto plan_forward = fftwf_plan_guru64_dft_r2c;
  static constexpr auto plan_backward = fftwf_plan_guru64_dft_c2r;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
};

// All lines along `axis`; the sides' strides are those of the memory times a factor.
dims lines(const tile_memory& memory, int axis, int in_factor, int out_factor) {
  dims result;
  for (int a = 0; a < 3; a++) {
    if (a != axis)
      result.push_back(
          {memory.size[a], in_factor * memory.stride[a], out_factor * memory.stride[a]});
  }
  return result;
}

template <class T>
typename library<T>::plan make_plan(const tile_memory& memory, int axis, direction way,
                                    int real_size, unsigned flags, std::complex<T>* scratch) {
  using lib = library<T>;
  auto* complex = reinterpret_cast<typename lib::complex*>(scratch);
  auto* real = reinterpret_cast<T*>(scratch);
  if (real_size == 0 || axis != 0) {
    const fftw_iodim64 line{memory.size[axis], memory.stride[axis], memory.stride[axis]};
    const dims many = lines(memory, axis, 1, 1);
    const int sign = way == direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
    return lib::plan_complex(1, &line, 2, many.data(), complex, complex, sign, flags);
  }
  const fftw_iodim64 line{real_size, 1, 1};
  if (way == direction::forward) {
    const dims many = lines(memory, 0, 2, 1);
    return lib::plan_forward(1, &line, 2, many.data(), real, complex, flags);
  }
  const dims many = lines(memory, 0, 1, 2);
  return lib::plan_backward(1, &line, 2, many.data(), complex, real, flags);
}

}  // namespace

tile_memory lay_out_tile(const axes3& complex_size, const axes3& order, std::size_t complex_bytes) {
  tile_memory memory;
  memory.size = complex_size;
  const std::ptrdiff_t pitch = padded(complex_size[order[0]], complex_bytes);
  memory.stride[order[0]] = 1;
  memory.stride[order[1]] = pitch;
  memory.stride[order[2]] = pitch * complex_size[order[1]];
  memory.elements = static_cast<std::size_t>(memory.stride[order[2]]) *
                    static_cast<std::size_t>(complex_size[order[2]]);
  return memory;
}

template <class T>
struct tile_transform<T>::plans {
  std::vector<typename library<T>::plan> list;
};

template <class T>
tile_transform<T>::tile_transform(const tile_memory& memory, const std::vector<int>& axes,
                                  direction way, int real_size, bool measure,
                                  std::complex<T>* scratch)
    : plans_(std::make_unique<plans>()) {
  const unsigned flags = measure ? FFTW_MEASURE : FFTW_ESTIMATE;
  for (const int axis : axes) {
    plans_->list.push_back(make_plan<T>(memory, axis, way, real_size, flags, scratch));
  }
}

template <class T>
tile_transform<T>::~tile_transform() {
  for (const auto plan : plans_->list) library<T>::destroy(plan);
}

template <class T>
void tile_transform<T>::run() const {
  for (const auto plan : plans_->list) library<T>::execute(plan);
}

template class tile_transform<double>;
template class tile_transform<float>;

}  // namespace oshen::fft
