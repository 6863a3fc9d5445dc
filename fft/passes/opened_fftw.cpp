// The functions of FFTW for programs that are not linked to FFTW: the first call opens its libraries. Used in the
// Python wheel, which must not contain FFTW because of its licence, and must start without it.
#include <dlfcn.h>
#include <fftw3.h>

#include <cstdio>
#include <cstdlib>

namespace {

// A library of FFTW, by its soname; null if it is not installed.
template <bool single>
void* opened() {
  static void* const library = dlopen(single ? "libfftw3f.so.3" : "libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
  return library;
}

// oshen_fft_create() has checked both libraries before any of these functions is called.
template <bool single, class Function>
Function* function(const char* name) {
  void* const found = opened<single>() == nullptr ? nullptr : dlsym(opened<single>(), name);
  if (found != nullptr) return reinterpret_cast<Function*>(found);
  std::fprintf(stderr, "oshen_fft: FFTW has no function %s: expected FFTW 3.3 or later\n", name);
  std::abort();
}

}  // namespace

// fft/interface/api.cpp calls this function if it is linked.
extern "C" {

const char* oshen_fftw_missing() {
  if (opened<false>() == nullptr) return "libfftw3.so.3";
  return opened<true>() == nullptr ? "libfftw3f.so.3" : nullptr;
}

fftw_plan fftw_plan_guru64_dft(int rank, const fftw_iodim64* dims, int howmany_rank, const fftw_iodim64* howmany,
                               fftw_complex* in, fftw_complex* out, int sign, unsigned flags) {
  static auto* const real = function<false, decltype(fftw_plan_guru64_dft)>("fftw_plan_guru64_dft");
  return real(rank, dims, howmany_rank, howmany, in, out, sign, flags);
}

fftw_plan fftw_plan_guru64_dft_r2c(int rank, const fftw_iodim64* dims, int howmany_rank, const fftw_iodim64* howmany,
                                   double* in, fftw_complex* out, unsigned flags) {
  static auto* const real = function<false, decltype(fftw_plan_guru64_dft_r2c)>("fftw_plan_guru64_dft_r2c");
  return real(rank, dims, howmany_rank, howmany, in, out, flags);
}

fftw_plan fftw_plan_guru64_dft_c2r(int rank, const fftw_iodim64* dims, int howmany_rank, const fftw_iodim64* howmany,
                                   fftw_complex* in, double* out, unsigned flags) {
  static auto* const real = function<false, decltype(fftw_plan_guru64_dft_c2r)>("fftw_plan_guru64_dft_c2r");
  return real(rank, dims, howmany_rank, howmany, in, out, flags);
}

fftw_plan fftw_plan_guru64_r2r(int rank, const fftw_iodim64* dims, int howmany_rank, const fftw_iodim64* howmany,
                               double* in, double* out, const fftw_r2r_kind* kind, unsigned flags) {
  static auto* const real = function<false, decltype(fftw_plan_guru64_r2r)>("fftw_plan_guru64_r2r");
  return real(rank, dims, howmany_rank, howmany, in, out, kind, flags);
}

void fftw_execute_dft(const fftw_plan plan, fftw_complex* in, fftw_complex* out) {
  static auto* const real = function<false, decltype(fftw_execute_dft)>("fftw_execute_dft");
  return real(plan, in, out);
}

void fftw_execute_dft_r2c(const fftw_plan plan, double* in, fftw_complex* out) {
  static auto* const real = function<false, decltype(fftw_execute_dft_r2c)>("fftw_execute_dft_r2c");
  return real(plan, in, out);
}

void fftw_execute_dft_c2r(const fftw_plan plan, fftw_complex* in, double* out) {
  static auto* const real = function<false, decltype(fftw_execute_dft_c2r)>("fftw_execute_dft_c2r");
  return real(plan, in, out);
}

void fftw_execute_r2r(const fftw_plan plan, double* in, double* out) {
  static auto* const real = function<false, decltype(fftw_execute_r2r)>("fftw_execute_r2r");
  return real(plan, in, out);
}

void fftw_destroy_plan(fftw_plan plan) {
  static auto* const real = function<false, decltype(fftw_destroy_plan)>("fftw_destroy_plan");
  return real(plan);
}

fftwf_plan fftwf_plan_guru64_dft(int rank, const fftwf_iodim64* dims, int howmany_rank, const fftwf_iodim64* howmany,
                                 fftwf_complex* in, fftwf_complex* out, int sign, unsigned flags) {
  static auto* const real = function<true, decltype(fftwf_plan_guru64_dft)>("fftwf_plan_guru64_dft");
  return real(rank, dims, howmany_rank, howmany, in, out, sign, flags);
}

fftwf_plan fftwf_plan_guru64_dft_r2c(int rank, const fftwf_iodim64* dims, int howmany_rank,
                                     const fftwf_iodim64* howmany, float* in, fftwf_complex* out, unsigned flags) {
  static auto* const real = function<true, decltype(fftwf_plan_guru64_dft_r2c)>("fftwf_plan_guru64_dft_r2c");
  return real(rank, dims, howmany_rank, howmany, in, out, flags);
}

fftwf_plan fftwf_plan_guru64_dft_c2r(int rank, const fftwf_iodim64* dims, int howmany_rank,
                                     const fftwf_iodim64* howmany, fftwf_complex* in, float* out, unsigned flags) {
  static auto* const real = function<true, decltype(fftwf_plan_guru64_dft_c2r)>("fftwf_plan_guru64_dft_c2r");
  return real(rank, dims, howmany_rank, howmany, in, out, flags);
}

fftwf_plan fftwf_plan_guru64_r2r(int rank, const fftwf_iodim64* dims, int howmany_rank, const fftwf_iodim64* howmany,
                                 float* in, float* out, const fftwf_r2r_kind* kind, unsigned flags) {
  static auto* const real = function<true, decltype(fftwf_plan_guru64_r2r)>("fftwf_plan_guru64_r2r");
  return real(rank, dims, howmany_rank, howmany, in, out, kind, flags);
}

void fftwf_execute_dft(const fftwf_plan plan, fftwf_complex* in, fftwf_complex* out) {
  static auto* const real = function<true, decltype(fftwf_execute_dft)>("fftwf_execute_dft");
  return real(plan, in, out);
}

void fftwf_execute_dft_r2c(const fftwf_plan plan, float* in, fftwf_complex* out) {
  static auto* const real = function<true, decltype(fftwf_execute_dft_r2c)>("fftwf_execute_dft_r2c");
  return real(plan, in, out);
}

void fftwf_execute_dft_c2r(const fftwf_plan plan, fftwf_complex* in, float* out) {
  static auto* const real = function<true, decltype(fftwf_execute_dft_c2r)>("fftwf_execute_dft_c2r");
  return real(plan, in, out);
}

void fftwf_execute_r2r(const fftwf_plan plan, float* in, float* out) {
  static auto* const real = function<true, decltype(fftwf_execute_r2r)>("fftwf_execute_r2r");
  return real(plan, in, out);
}

void fftwf_destroy_plan(fftwf_plan plan) {
  static auto* const real = function<true, decltype(fftwf_destroy_plan)>("fftwf_destroy_plan");
  return real(plan);
}

int fftw_alignment_of(double* place) {
  static auto* const real = function<false, decltype(fftw_alignment_of)>("fftw_alignment_of");
  return real(place);
}

void* fftw_malloc(size_t bytes) {
  static auto* const real = function<false, decltype(fftw_malloc)>("fftw_malloc");
  return real(bytes);
}

void fftw_free(void* memory) {
  static auto* const real = function<false, decltype(fftw_free)>("fftw_free");
  return real(memory);
}

void fftw_set_timelimit(double seconds) {
  static auto* const real = function<false, decltype(fftw_set_timelimit)>("fftw_set_timelimit");
  return real(seconds);
}

int fftw_import_wisdom_from_string(const char* text) {
  static auto* const real = function<false, decltype(fftw_import_wisdom_from_string)>("fftw_import_wisdom_from_string");
  return real(text);
}

char* fftw_export_wisdom_to_string() {
  static auto* const real = function<false, decltype(fftw_export_wisdom_to_string)>("fftw_export_wisdom_to_string");
  return real();
}

void fftwf_set_timelimit(double seconds) {
  static auto* const real = function<true, decltype(fftwf_set_timelimit)>("fftwf_set_timelimit");
  return real(seconds);
}

int fftwf_import_wisdom_from_string(const char* text) {
  static auto* const real =
      function<true, decltype(fftwf_import_wisdom_from_string)>("fftwf_import_wisdom_from_string");
  return real(text);
}

char* fftwf_export_wisdom_to_string() {
  static auto* const real = function<true, decltype(fftwf_export_wisdom_to_string)>("fftwf_export_wisdom_to_string");
  return real();
}

// Part of the name of the wisdom file; FFTW rejects wisdom of another version by itself.
extern const char fftw_version[];
const char fftw_version[] = "opened at run time";

}  // extern "C"
