// The C interface of transforms.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>

#include "fft/choice/find.hpp"
#include "fft/geometry/matrix.hpp"
#include "fft/geometry/split.hpp"
#include "fft/interface/need.hpp"
#include "fft/interface/request.hpp"
#include "fft/moves/agree.hpp"
#include "trials/sized_struct.hpp"

using oshen::fft::direction;

// If FFTW is opened at run time (opened_fftw.cpp): the name of a missing library, or null.
extern "C" [[gnu::weak]] const char* oshen_fftw_missing();

struct oshen_fft {
  std::unique_ptr<oshen::fft::transform> transform;
  oshen_group_t* group;
  double points;
  bool convolves;
  bool running = false;
};

namespace {

double factor(const oshen_fft& fft, oshen_fft_scale_t scale) {
  if (scale == OSHEN_FFT_SCALE_FULL) return 1 / fft.points;
  return scale == OSHEN_FFT_SCALE_SYMMETRIC ? 1 / std::sqrt(fft.points) : 1;
}

// The factor by which a forward transform followed by a backward one multiplies.
double logical_points(const oshen_fft_attr_t& attr) {
  double points = 1;
  for (int a = 0; a < 3; a++) {
    const double n = attr.extent[a];
    switch (attr.along[a]) {
      case OSHEN_FFT_NOTHING: break;
      case OSHEN_FFT_FOURIER:
      case OSHEN_FFT_HARTLEY:
      case OSHEN_FFT_R2HC:
      case OSHEN_FFT_HC2R: points *= n; break;
      case OSHEN_FFT_DCT1: points *= 2 * (n - 1); break;
      case OSHEN_FFT_DST1: points *= 2 * (n + 1); break;
      case OSHEN_FFT_DCT2:
      case OSHEN_FFT_DCT3:
      case OSHEN_FFT_DCT4:
      case OSHEN_FFT_DST2:
      case OSHEN_FFT_DST3:
      case OSHEN_FFT_DST4: points *= 2 * n; break;
    }
  }
  return points;
}

// Explains a status that the caller's work memory caused.
void explain_workspace(oshen_group_t* group, const oshen_fft_attr_t& attr, oshen_status_t status) {
  if (attr.workspace == nullptr || oshen_group_rank(group) != 0) return;
  if (status == OSHEN_INVALID)
    std::fprintf(stderr,
                 "oshen: PE %d: oshen_fft_create: attr.workspace: expected memory in the symmetric heap or the arena "
                 "on every member\n",
                 shmem_my_pe());
  if (status == OSHEN_NO_SPACE)
    std::fprintf(stderr,
                 "oshen: PE %d: oshen_fft_create: attr.workspace_bytes = %zu on this PE: some member has less than "
                 "oshen_fft_need returns, or its arena is full\n",
                 shmem_my_pe(), attr.workspace_bytes);
}

// Whether any member lacks FFTW. Collective.
bool lacks_fftw(oshen_group_t* group) {
  if (oshen_fftw_missing == nullptr) return false;
  const char* missing = oshen_fftw_missing();
  if (missing != nullptr && oshen_group_rank(group) == 0) {
    std::fprintf(stderr,
                 "oshen_fft_create: cannot find the library %s: install FFTW (Debian: libfftw3-double3 and "
                 "libfftw3-single3; conda: fftw) or add its folder to LD_LIBRARY_PATH\n",
                 missing);
  }
  return oshen::fft::largest(group, missing != nullptr ? 1 : 0) > 0;
}

void start(oshen_fft& fft, direction dir, const void* in, void* out, oshen_fft_scale_t scale, bool convolves = false) {
  if (fft.convolves != convolves) {
    std::fprintf(stderr, "oshen: PE %d: a transform made %s attr.convolution: expected %s\n", shmem_my_pe(),
                 fft.convolves ? "with" : "without",
                 fft.convolves ? "oshen_fft_convolve" : "oshen_fft_forward or oshen_fft_backward");
    shmem_global_exit(1);
  }
  if (fft.running) oshen_fft_wait(&fft);
  fft.running = true;
  fft.transform->start(dir, in, out, factor(fft, scale));
}

}  // namespace

oshen_status_t oshen_fft_create(oshen_group_t* group, const oshen_fft_attr_t* attr, oshen_fft_t** fft) {
  *fft = nullptr;
  if (lacks_fftw(group)) return OSHEN_UNSUPPORTED;
  oshen::fft::request wanted;
  oshen_status_t status = oshen::fft::read_request(group, "oshen_fft_create", attr, &wanted);
  if (status != OSHEN_OK) return status;
  const auto find = wanted.is_reblocked() ? oshen::fft::find_reblocked : oshen::fft::find_transform;
  auto transform = find(group, wanted, &status);
  if (transform == nullptr) {
    explain_workspace(group, *attr, status);
    return status;
  }
  *fft = new oshen_fft{std::move(transform), group, logical_points(*attr), wanted.problem.convolves};
  return OSHEN_OK;
}

int oshen_fft_line(int length, int members, int member, oshen_fft_box_t* in, oshen_fft_box_t* out) {
  if (length < 1 || members < 1 || member < 0 || member >= members) return 0;
  const oshen::fft::layout any(static_cast<std::size_t>(members));
  const int columns = oshen::fft::best_columns(length, any, any, 0), rows = length / columns;
  const auto block = [&](int many, int width) {
    const auto [low, size] = oshen::fft::split_range(many, members, member);
    return oshen_fft_box_t{{low * width, 0, 0}, {size * width, 1, 1}, {}};
  };
  *in = block(rows, columns);
  if (out != nullptr) *out = columns == 1 ? *in : block(columns, rows);
  return columns;
}

oshen_status_t oshen_fft_need(oshen_group_t* group, const oshen_fft_attr_t* attr, oshen_fft_need_t* need,
                              std::size_t size) {
  oshen::fill_struct(need, size, oshen_fft_need_t{});
  oshen::fft::request wanted;
  const oshen_status_t status = oshen::fft::read_request(group, "oshen_fft_need", attr, &wanted);
  if (status == OSHEN_OK) oshen::fill_struct(need, size, oshen::fft::need_of(group, wanted));
  return status;
}

void oshen_fft_destroy(oshen_fft_t* fft) { delete fft; }

void oshen_fft_forward(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale) {
  start(*fft, direction::forward, in, out, scale);
  oshen_fft_wait(fft);
}

void oshen_fft_backward(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale) {
  start(*fft, direction::backward, in, out, scale);
  oshen_fft_wait(fft);
}

void oshen_fft_forward_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale) {
  start(*fft, direction::forward, in, out, scale);
}

void oshen_fft_backward_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale) {
  start(*fft, direction::backward, in, out, scale);
}

void oshen_fft_convolve(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale) {
  start(*fft, direction::forward, in, out, scale, true);
  oshen_fft_wait(fft);
}

void oshen_fft_convolve_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale) {
  start(*fft, direction::forward, in, out, scale, true);
}

oshen_status_t oshen_fft_set_factors(oshen_fft_t* fft, const void* factors) {
  return fft->transform->set_factors(fft->group, factors);
}

int oshen_fft_test(oshen_fft_t* fft) { return fft->transform->test(); }

void oshen_fft_wait(oshen_fft_t* fft) {
  fft->transform->wait();
  fft->running = false;
}

void oshen_fft_workspace(const oshen_fft_t* fft, oshen_fft_workspace_t* bytes, std::size_t size) {
  oshen::fill_struct(bytes, size, fft->transform->workspace());
}

void oshen_fft_cost(const oshen_fft_t* fft, oshen_fft_cost_t* cost, std::size_t size) {
  oshen::fill_struct(cost, size, fft->transform->cost());
}

void oshen_fft_stats(const oshen_fft_t* fft, oshen_fft_stats_t* stats, std::size_t size) {
  oshen::fill_struct(stats, size, fft->transform->stats());
}

size_t oshen_fft_describe(const oshen_fft_t* fft, char* text, size_t size) {
  return static_cast<size_t>(std::snprintf(text, size, "%s", fft->transform->text().c_str()));
}
