// Runs a transform whose output breaks a promise of the plan: fft_promise heap|static|ordinary. `heap` keeps the
// promise and must succeed; the others end with a message.
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

#include "program.hpp"

namespace {

constexpr int edge = 8;
constexpr std::size_t points = edge * edge * edge;

std::complex<double> in_static_data[points];  // symmetric, but not in the heap

void transform_into(oshen_group_t* group, void* out) {
  auto a = slabs<oshen_fft_attr_t>(group, edge);
  a.buffers = OSHEN_OUT_SYMMETRIC;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &a, &fft) != OSHEN_OK) shmem_global_exit(3);
  const std::vector<std::complex<double>> in(points);
  oshen_fft_forward(fft, in.data(), out, OSHEN_FFT_SCALE_NONE);
  if (shmem_my_pe() == 0) std::printf("got through\n");
  oshen_fft_destroy(fft);
}

}  // namespace

int main(int argc, char** argv) {
  const char* where = argc > 1 ? argv[1] : "";
  return run_program(1, argv, [&](oshen_group_t* group, random_source&, random_source&) {
    std::vector<std::complex<double>> ordinary(points);
    void* heap = shmem_malloc(sizeof in_static_data);
    transform_into(group, std::strcmp(where, "heap") == 0     ? heap
                          : std::strcmp(where, "static") == 0 ? in_static_data
                                                              : ordinary.data());
    shmem_free(heap);
  });
}
