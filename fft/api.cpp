// The C interface of transforms.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>

#include "agree.hpp"
#include "request.hpp"
#include "transform.hpp"

using oshen::fft::direction;

// Where FFTW is opened at run time (opened_fftw.cpp): the library that is not there, or null.
extern "C" [[gnu::weak]] const char* oshen_fftw_missing();

struct oshen_fft {
  std::unique_ptr<oshen::fft::transform> with;
  double points;
  bool running = false;
};

namespace {

double factor(const oshen_fft& fft, oshen_fft_scale_t scale) {
  if (scale == OSHEN_FFT_SCALE_FULL) return 1 / fft.points;
  return scale == OSHEN_FFT_SCALE_SYMMETRIC ? 1 / std::sqrt(fft.points) : 1;
}

// Collective: does any member lack FFTW?
bool lacks_fftw(oshen_group_t* group) {
  if (oshen_fftw_missing == nullptr) return false;
  const char* missing = oshen_fftw_missing();
  if (missing != nullptr && oshen_group_rank(group) == 0) {
    std::fprintf(stderr,
                 "oshen_fft_create: the library %s is not found: install FFTW (Debian: libfftw3-double3 and "
                 "libfftw3-single3; conda: fftw), or put its folder into LD_LIBRARY_PATH\n", missing);
  }
  return oshen::fft::largest(group, missing != nullptr ? 1 : 0) > 0;
}

void start(oshen_fft& fft, direction way, const void* in, void* out, oshen_fft_scale_t scale) {
  if (fft.running) oshen_fft_wait(&fft);
  fft.running = true;
  fft.with->start(way, in, out, factor(fft, scale));
}

}  // namespace

oshen_status_t oshen_fft_create(oshen_group_t* group, const oshen_fft_attr_t* attr,
                                oshen_fft_t** fft) {
  *fft = nullptr;
  if (lacks_fftw(group)) return OSHEN_UNSUPPORTED;
  oshen::fft::request wanted;
  oshen_status_t status = oshen::fft::read_request(group, attr, &wanted);
  if (status != OSHEN_OK) return status;
  auto with = oshen::fft::find_transform(group, wanted, &status);
  if (with == nullptr) return status;
  const auto& e = wanted.what.extent;
  *fft = new oshen_fft{std::move(with), static_cast<double>(e[0]) * e[1] * e[2]};
  return OSHEN_OK;
}

void oshen_fft_destroy(oshen_fft_t* fft) {
  delete fft;
}

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

void oshen_fft_backward_start(oshen_fft_t* fft, const void* in, void* out,
                              oshen_fft_scale_t scale) {
  start(*fft, direction::backward, in, out, scale);
}

int oshen_fft_test(oshen_fft_t* fft) {
  return fft->with->test();
}

void oshen_fft_wait(oshen_fft_t* fft) {
  fft->with->wait();
  fft->running = false;
}

void oshen_fft_workspace(const oshen_fft_t* fft, oshen_fft_workspace_t* bytes) {
  *bytes = fft->with->workspace();
}

void oshen_fft_cost(const oshen_fft_t* fft, oshen_fft_cost_t* cost) {
  *cost = fft->with->cost();
}

size_t oshen_fft_describe(const oshen_fft_t* fft, char* text, size_t size) {
  return static_cast<size_t>(std::snprintf(text, size, "%s", fft->with->text().c_str()));
}
