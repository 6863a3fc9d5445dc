#include "fft/passes/fftw.hpp"

#include <fftw3.h>

#include <algorithm>

#include "fft/geometry/tile.hpp"

namespace oshen::fft {
namespace {

static_assert(sizeof(fftw_iodim64) == sizeof(fftwf_iodim64));

// The functions of FFTW for each precision.
template <class T>
struct library;

template <>
struct library<double> {
  using plan = fftw_plan;
  using complex = fftw_complex;
  static constexpr auto plan_complex = fftw_plan_guru64_dft;
  static constexpr auto plan_forward = fftw_plan_guru64_dft_r2c;
  static constexpr auto plan_backward = fftw_plan_guru64_dft_c2r;
  static constexpr auto plan_real = fftw_plan_guru64_r2r;
  static constexpr auto execute_complex = fftw_execute_dft;
  static constexpr auto execute_forward = fftw_execute_dft_r2c;
  static constexpr auto execute_backward = fftw_execute_dft_c2r;
  static constexpr auto execute_real = fftw_execute_r2r;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto set_time_limit = fftw_set_timelimit;
};

template <>
struct library<float> {
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  static constexpr auto plan_complex = fftwf_plan_guru64_dft;
  static constexpr auto plan_forward = fftwf_plan_guru64_dft_r2c;
  static constexpr auto plan_backward = fftwf_plan_guru64_dft_c2r;
  static constexpr auto plan_real = fftwf_plan_guru64_r2r;
  static constexpr auto execute_complex = fftwf_execute_dft;
  static constexpr auto execute_forward = fftwf_execute_dft_r2c;
  static constexpr auto execute_backward = fftwf_execute_dft_c2r;
  static constexpr auto execute_real = fftwf_execute_r2r;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto set_time_limit = fftwf_set_timelimit;
};

enum class transform_kind { complex, real_to_complex, complex_to_real, real_to_real };

// FFTW's name for a transform of real to real numbers, or of its inverse.
fftw_r2r_kind name_of(oshen_fft_along_t along, direction dir) {
  const bool forward = dir == direction::forward;
  switch (along) {
    case OSHEN_FFT_DCT1: return FFTW_REDFT00;
    case OSHEN_FFT_DCT2: return forward ? FFTW_REDFT10 : FFTW_REDFT01;
    case OSHEN_FFT_DCT3: return forward ? FFTW_REDFT01 : FFTW_REDFT10;
    case OSHEN_FFT_DCT4: return FFTW_REDFT11;
    case OSHEN_FFT_DST1: return FFTW_RODFT00;
    case OSHEN_FFT_DST2: return forward ? FFTW_RODFT10 : FFTW_RODFT01;
    case OSHEN_FFT_DST3: return forward ? FFTW_RODFT01 : FFTW_RODFT10;
    case OSHEN_FFT_DST4: return FFTW_RODFT11;
    case OSHEN_FFT_R2HC: return forward ? FFTW_R2HC : FFTW_HC2R;
    case OSHEN_FFT_HC2R: return forward ? FFTW_HC2R : FFTW_R2HC;
    case OSHEN_FFT_HARTLEY:
    case OSHEN_FFT_FOURIER:
    case OSHEN_FFT_NOTHING: break;
  }
  return FFTW_DHT;
}

// One side of a transform: memory, and strides in its own elements.
struct transform_side {
  void* data;
  strides3 stride;
};

// Strides of real elements in the rows of a tile.
strides3 real_strides(const tile_memory& memory) {
  strides3 result = memory.stride;
  for (int a = 1; a < 3; a++) result[a] *= 2;
  return result;
}

// The lines of a tile along one axis. size: of the tile, in complex elements; length: of a line.
struct line_set {
  const axes3& size;
  int axis;
  int length;
};

template <class T>
typename library<T>::plan plan_lines(const line_set& lines, transform_kind kind, direction dir,
                                     const transform_side& in, const transform_side& out, unsigned flags) {
  using lib = library<T>;
  const fftw_iodim64 line{lines.length, in.stride[lines.axis], out.stride[lines.axis]};
  fftw_iodim64 many[2];
  int next = 0;
  for (int a = 0; a < 3; a++) {
    if (a != lines.axis) many[next++] = {lines.size[a], in.stride[a], out.stride[a]};
  }
  auto* complex_in = static_cast<typename lib::complex*>(in.data);
  auto* complex_out = static_cast<typename lib::complex*>(out.data);
  auto *real_in = static_cast<T*>(in.data), *real_out = static_cast<T*>(out.data);
  if (kind == transform_kind::real_to_complex) return lib::plan_forward(1, &line, 2, many, real_in, complex_out, flags);
  if (kind == transform_kind::complex_to_real)
    return lib::plan_backward(1, &line, 2, many, complex_in, real_out, flags);
  const int sign = dir == direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
  return lib::plan_complex(1, &line, 2, many, complex_in, complex_out, sign, flags);
}

// For transforms from real to real numbers. Complex elements are transformed as real and imaginary parts.
template <class T>
typename library<T>::plan plan_real_lines(const line_set& lines, fftw_r2r_kind kind, bool complex,
                                          const transform_side& in, const transform_side& out, unsigned flags) {
  const int step = complex ? 2 : 1;
  const auto of = [&](int a) { return fftw_iodim64{lines.size[a], step * in.stride[a], step * out.stride[a]}; };
  const fftw_iodim64 line = of(lines.axis);
  fftw_iodim64 many[3];
  int next = 0;
  for (int a = 0; a < 3; a++) {
    if (a != lines.axis) many[next++] = of(a);
  }
  if (complex) many[next++] = {2, 1, 1};
  return library<T>::plan_real(1, &line, next, many, static_cast<T*>(in.data), static_cast<T*>(out.data), &kind, flags);
}

// Elements of memory that a tile with these strides covers.
std::size_t extent(const axes3& size, const strides3& stride) {
  std::ptrdiff_t last = 0;
  for (int a = 0; a < 3; a++) last += (size[a] - 1) * stride[a];
  return static_cast<std::size_t>(last) + 1;
}

bool aligned_for_fftw(const void* memory) {
  return fftw_alignment_of(static_cast<double*>(const_cast<void*>(memory))) == 0;
}

// FFTW_PATIENT takes more than some seconds for larger boxes.
constexpr std::size_t patient_bytes = 1 << 20;

// A few plans for each of a few routes must fit into a tenth of a second.
constexpr double brief_seconds = 0.0015;

// Limits the planner's time for plans of this effort that are made while the object lives.
template <class T>
class planner_limit {
 public:
  explicit planner_limit(oshen_fft_effort_t effort) : set_(effort == OSHEN_FFT_BRIEF) {
    if (set_) library<T>::set_time_limit(brief_seconds);
  }
  ~planner_limit() {
    if (set_) library<T>::set_time_limit(FFTW_NO_TIMELIMIT);
  }
  planner_limit(const planner_limit&) = delete;
  planner_limit& operator=(const planner_limit&) = delete;

 private:
  bool set_;
};

// FFTW leaks memory if its time limit expires while it plans real-to-real transforms, so these get no time limit.
oshen_fft_effort_t effort_for(const tile_work& work, oshen_fft_effort_t effort) {
  const auto stays_real = [&](int axis) { return work.along[axis] != OSHEN_FFT_FOURIER; };
  const bool may_lose = effort == OSHEN_FFT_BRIEF && std::any_of(work.axes.begin(), work.axes.end(), stays_real);
  return may_lose ? OSHEN_FFT_ESTIMATE : effort;
}

struct fftw_memory {
  explicit fftw_memory(std::size_t bytes) : data(fftw_malloc(bytes)) {}
  ~fftw_memory() { fftw_free(data); }
  fftw_memory(const fftw_memory&) = delete;
  fftw_memory& operator=(const fftw_memory&) = delete;
  void* data;
};

}  // namespace

tile_memory lay_out_tile(const axes3& size, const axes3& order, std::size_t element_bytes) {
  tile_memory memory;
  memory.size = size;
  const std::ptrdiff_t pitch = padded(size[order[0]], element_bytes);
  memory.stride[order[0]] = 1;
  memory.stride[order[1]] = pitch;
  memory.stride[order[2]] = pitch * size[order[1]];
  memory.elements = static_cast<std::size_t>(memory.stride[order[2]]) * static_cast<std::size_t>(size[order[2]]);
  return memory;
}

namespace {

bool is_halved(const tile_work& work, int axis) { return axis == 0 && work.real_size != 0; }

transform_kind kind_along(const tile_work& work, int axis) {
  if (work.along[axis] != OSHEN_FFT_FOURIER) return transform_kind::real_to_real;
  if (!is_halved(work, axis)) return transform_kind::complex;
  return work.dir == direction::forward ? transform_kind::real_to_complex : transform_kind::complex_to_real;
}

// The modes that matter while axis number `i` is transformed. Those of the other axes are all there in a forward
// transform until these axes are transformed, and in a backward one from then on.
kept3 kept_meanwhile(const tile_work& work, std::size_t i) {
  kept3 kept{};
  for (std::size_t j = 0; j < work.axes.size(); j++) {
    const bool restricted = work.dir == direction::forward ? j < i : j > i;
    if (restricted) kept[work.axes[j]] = work.kept[work.axes[j]];
  }
  return kept;
}

// The box of a tile with the kept modes only.
box compacted(const axes3& size, const kept3& kept) {
  box result{{}, size};
  for (int a = 0; a < 3; a++)
    if (kept[a].drops()) result.size[a] = kept[a].count();
  return result;
}

std::ptrdiff_t element_at(const strides3& stride, const axes3& point) {
  return stride[0] * point[0] + stride[1] * point[1] + stride[2] * point[2];
}

}  // namespace

template <class T>
struct tile_transform<T>::plans {
  struct one {
    typename library<T>::plan plan;
    transform_kind kind;
    bool from_source, to_target;  // outside of the tile
    std::ptrdiff_t first;         // byte in the tile
  };
  std::vector<one> list;
  void* scratch;
};

template <class T>
tile_transform<T>::tile_transform(const tile_memory& memory, const tile_work& work, const outside& ends,
                                  oshen_fft_effort_t effort, std::complex<T>* scratch)
    : plans_(std::make_unique<plans>()) {
  plans_->scratch = scratch;
  const oshen_fft_effort_t spent = effort_for(work, effort);
  const planner_limit<T> limit(spent);
  const unsigned flags = spent == OSHEN_FFT_ESTIMATE ? FFTW_ESTIMATE : FFTW_MEASURE;
  const auto tile_element = static_cast<std::ptrdiff_t>(work.real ? sizeof(T) : sizeof(*scratch));
  axes3 longest = memory.size;
  if (work.real_size != 0) longest[0] = work.real_size;
  const std::size_t from = ends.reads ? extent(longest, ends.source) : 0;
  const std::size_t to = ends.writes ? extent(longest, ends.target) : 0;
  const fftw_memory source(from * sizeof(*scratch) + 1), target(to * sizeof(*scratch) + 1);
  for (std::size_t i = 0; i < work.axes.size(); i++) {
    const int axis = work.axes[i];
    const transform_kind kind = kind_along(work, axis);
    transform_side in{scratch, kind == transform_kind::real_to_complex ? real_strides(memory) : memory.stride};
    transform_side out{scratch, kind == transform_kind::complex_to_real ? real_strides(memory) : memory.stride};
    const bool reads = i == 0 && ends.reads, writes = i + 1 == work.axes.size() && ends.writes;
    if (reads) in = {source.data, ends.source};
    if (writes) out = {target.data, ends.target};
    const kept3 kept = kept_meanwhile(work, i);
    for (const box& part : contiguous_parts(compacted(memory.size, kept), kept)) {
      const std::ptrdiff_t first = element_at(memory.stride, position_of(part.low, kept)) * tile_element;
      if (!reads) in.data = reinterpret_cast<std::byte*>(scratch) + first;
      if (!writes) out.data = reinterpret_cast<std::byte*>(scratch) + first;
      const line_set lines{part.size, axis, is_halved(work, axis) ? work.real_size : part.size[axis]};
      const auto plan = [&] {
        if (kind != transform_kind::real_to_real) return plan_lines<T>(lines, kind, work.dir, in, out, flags);
        // Otherwise FFTW may destroy their input.
        const fftw_r2r_kind name = name_of(work.along[axis], work.dir);
        return plan_real_lines<T>(lines, name, !work.real, in, out, flags | FFTW_PRESERVE_INPUT);
      };
      plans_->list.push_back({plan(), kind, reads, writes, first});
    }
  }
}

template <class T>
tile_transform<T>::~tile_transform() {
  for (const auto& one : plans_->list) library<T>::destroy(one.plan);
}

template <class T>
bool tile_transform<T>::aligned(const void* memory) {
  return aligned_for_fftw(memory);
}

template <class T>
void tile_transform<T>::run(const std::byte* source, std::byte* target) const {
  using lib = library<T>;
  for (const auto& now : plans_->list) {
    std::byte* tile = static_cast<std::byte*>(plans_->scratch) + now.first;
    // FFTW preserves the input of these transforms.
    void* in = now.from_source ? const_cast<std::byte*>(source) : tile;
    void* out = now.to_target ? target : tile;
    auto* complex_in = static_cast<typename lib::complex*>(in);
    auto* complex_out = static_cast<typename lib::complex*>(out);
    if (now.kind == transform_kind::real_to_real) {
      lib::execute_real(now.plan, static_cast<T*>(in), static_cast<T*>(out));
    } else if (now.kind == transform_kind::real_to_complex) {
      lib::execute_forward(now.plan, static_cast<T*>(in), complex_out);
    } else if (now.kind == transform_kind::complex_to_real) {
      lib::execute_backward(now.plan, complex_in, static_cast<T*>(out));
    } else {
      lib::execute_complex(now.plan, complex_in, complex_out);
    }
  }
}

// FFTW may use vector instructions only if memory is aligned as it was for planning. Unaligned buffers have plans of
// their own.
template <class T>
struct box_transform<T>::plans {
  typename library<T>::plan apart[2]{}, in_place[2]{};  // index: whether all memory is aligned
};

template <class T>
box_transform<T>::box_transform(const box& before, const box& after, const std::vector<int>& axes, direction dir,
                                oshen_fft_effort_t effort)
    : plans_(std::make_unique<plans>()) {
  const strides3 from = before.strides(), to = after.strides();
  fftw_iodim64 lines[3], many[3];
  int n_lines = 0, n_many = 0;
  for (int a = 0; a < 3; a++) {
    const bool along = std::find(axes.begin(), axes.end(), a) != axes.end();
    fftw_iodim64& axis = along ? lines[n_lines++] : many[n_many++];
    axis = {before.size[a], from[a], to[a]};
  }
  const std::size_t bytes = before.volume() * sizeof(std::complex<T>);
  const planner_limit<T> limit(effort);
  const bool patient = effort == OSHEN_FFT_MEASURE && bytes <= patient_bytes;
  const unsigned planner = effort == OSHEN_FFT_ESTIMATE ? FFTW_ESTIMATE : patient ? FFTW_PATIENT : FFTW_MEASURE;
  const int sign = dir == direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
  const fftw_memory source(bytes), target(bytes);
  const auto make = [&](void* in, void* out, unsigned flags) {
    using complex = typename library<T>::complex;
    return library<T>::plan_complex(n_lines, lines, n_many, many, static_cast<complex*>(in), static_cast<complex*>(out),
                                    sign, flags);
  };
  for (const bool aligned : {false, true}) {
    const unsigned flags = aligned ? planner : FFTW_ESTIMATE | FFTW_UNALIGNED;
    plans_->apart[aligned] = make(source.data, target.data, flags | FFTW_PRESERVE_INPUT);
    plans_->in_place[aligned] = make(source.data, source.data, flags);  // null if FFTW has no such plan
  }
}

template <class T>
bool box_transform<T>::works_in_place() const {
  return plans_->in_place[false] != nullptr && plans_->in_place[true] != nullptr;
}

template <class T>
box_transform<T>::~box_transform() {
  for (const auto& list : {plans_->apart, plans_->in_place}) {
    for (int i = 0; i < 2; i++) {
      if (list[i] != nullptr) library<T>::destroy(list[i]);
    }
  }
}

template <class T>
void box_transform<T>::run(const std::byte* source, std::byte* target) const {
  using complex = typename library<T>::complex;
  const bool aligned = aligned_for_fftw(source) && aligned_for_fftw(target);
  const auto& plan = source == target ? plans_->in_place : plans_->apart;
  library<T>::execute_complex(plan[aligned], reinterpret_cast<complex*>(const_cast<std::byte*>(source)),
                              reinterpret_cast<complex*>(target));
}

template class tile_transform<double>;
template class tile_transform<float>;
template class box_transform<double>;
template class box_transform<float>;

}  // namespace oshen::fft
