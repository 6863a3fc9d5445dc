/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C++ classes of fftMPI, carried out by Oshen: FFT3d, FFT2d, Remap3d and Remap2d. oshen/fftmpi.h has the rules.
 *
 *     FFTMPI_NS::FFT3d fft(MPI_COMM_WORLD, 2);
 *     fft.setup(nfast, nmid, nslow, ..., permute, fftsize, sendsize, recvsize);
 *     fft.compute(in, out, 1);
 *
 * Members that a program sets before setup have the meaning of the keywords of fft3d_set; the others are results. Those
 * of trials and grids of ranks keep the values that they have without trials: 0 and -1. Objects are not copied. */
#ifndef OSHEN_FFTMPI_HPP
#define OSHEN_FFTMPI_HPP

#include "fftmpi.h"

namespace FFTMPI_NS {

namespace detail {

/* The members that FFT3d and FFT2d have in common. */
class transform {
 public:
  int scaled = 1, remaponly = 0;
  int permute = 0, collective = 2, exchange = 0, packflag = 2, memoryflag = 1;
  int64_t memusage = 0;
  int ntrial = 0, npertrial = 0;
  double setuptime = 0, besttime = 0;
  const char* fft1d = "Oshen";
  const char* precision = sizeof(FFT_SCALAR) == sizeof(float) ? "single" : "double";

  transform(MPI_Comm comm, int precision_of_caller) { fft3d_create(comm, precision_of_caller, &fft_); }
  transform(const transform&) = delete;
  transform& operator=(const transform&) = delete;
  ~transform() { fft3d_destroy(fft_); }

  void setup_memory(FFT_SCALAR* sendbuf, FFT_SCALAR* recvbuf) { fft3d_setup_memory(fft_, sendbuf, recvbuf); }

 protected:
  /* Hands over what the program has set. */
  void* settings() {
    fft3d_set(fft_, "scale", scaled);
    fft3d_set(fft_, "remaponly", remaponly);
    return fft_;
  }
  void results(int permute_of_caller) {
    permute = permute_of_caller;
    memusage = fft3d_get_int64(fft_, "memusage");
    setuptime = fft3d_get_double(fft_, "setuptime");
    npertrial = fft3d_get_int(fft_, "npertrial");
  }

 private:
  void* fft_ = nullptr;
};

class moves {
 public:
  int collective = 2, packflag = 2;
  int64_t memusage = 0;

  explicit moves(MPI_Comm comm) { remap3d_create(comm, &remap_); }
  moves(const moves&) = delete;
  moves& operator=(const moves&) = delete;
  ~moves() { remap3d_destroy(remap_); }

 protected:
  void* remap_ = nullptr;
};

}  // namespace detail

class FFT3d : public detail::transform {
 public:
  int npfast1 = -1, npfast2 = -1, npfast3 = -1, npmid1 = -1, npmid2 = -1, npmid3 = -1;
  int npslow1 = -1, npslow2 = -1, npslow3 = -1, npbrick1 = -1, npbrick2 = -1, npbrick3 = -1;

  using transform::transform;
  void setup(int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi,
             int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo, int out_khi, int permute_of_result,
             int& fftsize, int& sendsize, int& recvsize) {
    fft3d_setup(settings(), nfast, nmid, nslow, in_ilo, in_ihi, in_jlo, in_jhi, in_klo, in_khi, out_ilo, out_ihi,
                out_jlo, out_jhi, out_klo, out_khi, permute_of_result, &fftsize, &sendsize, &recvsize);
    results(permute_of_result);
  }
  void tune(int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi,
            int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo, int out_khi, int permute_of_result,
            int& fftsize, int& sendsize, int& recvsize, int flag, int niter, double tmax, int tflag) {
    fft3d_tune(settings(), nfast, nmid, nslow, in_ilo, in_ihi, in_jlo, in_jhi, in_klo, in_khi, out_ilo, out_ihi,
               out_jlo, out_jhi, out_klo, out_khi, permute_of_result, &fftsize, &sendsize, &recvsize, flag, niter, tmax,
               tflag);
    results(permute_of_result);
  }
  void compute(FFT_SCALAR* in, FFT_SCALAR* out, int flag) { fft3d_compute(settings(), in, out, flag); }
  void only_1d_ffts(FFT_SCALAR* in, int flag) { fft3d_only_1d_ffts(settings(), in, flag); }
  void only_remaps(FFT_SCALAR* in, FFT_SCALAR* out, int flag) { fft3d_only_remaps(settings(), in, out, flag); }
  void only_one_remap(FFT_SCALAR* in, FFT_SCALAR* out, int flag, int which) {
    fft3d_only_one_remap(settings(), in, out, flag, which);
  }
};

class FFT2d : public detail::transform {
 public:
  int npfast1 = -1, npfast2 = -1, npslow1 = -1, npslow2 = -1, npbrick1 = -1, npbrick2 = -1;

  using transform::transform;
  void setup(int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo, int out_ihi,
             int out_jlo, int out_jhi, int permute_of_result, int& fftsize, int& sendsize, int& recvsize) {
    fft2d_setup(settings(), nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi,
                permute_of_result, &fftsize, &sendsize, &recvsize);
    results(permute_of_result);
  }
  void tune(int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo, int out_ihi, int out_jlo,
            int out_jhi, int permute_of_result, int& fftsize, int& sendsize, int& recvsize, int flag, int niter,
            double tmax, int tflag) {
    fft2d_tune(settings(), nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi,
               permute_of_result, &fftsize, &sendsize, &recvsize, flag, niter, tmax, tflag);
    results(permute_of_result);
  }
  void compute(FFT_SCALAR* in, FFT_SCALAR* out, int flag) { fft2d_compute(settings(), in, out, flag); }
  void only_1d_ffts(FFT_SCALAR* in, int flag) { fft2d_only_1d_ffts(settings(), in, flag); }
  void only_remaps(FFT_SCALAR* in, FFT_SCALAR* out, int flag) { fft2d_only_remaps(settings(), in, out, flag); }
  void only_one_remap(FFT_SCALAR* in, FFT_SCALAR* out, int flag, int which) {
    fft2d_only_one_remap(settings(), in, out, flag, which);
  }
};

class Remap3d : public detail::moves {
 public:
  using moves::moves;
  void setup(int in_ilo, int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi, int out_ilo, int out_ihi,
             int out_jlo, int out_jhi, int out_klo, int out_khi, int nqty, int permute, int memoryflag, int& sendsize,
             int& recvsize) {
    remap3d_setup(remap_, in_ilo, in_ihi, in_jlo, in_jhi, in_klo, in_khi, out_ilo, out_ihi, out_jlo, out_jhi, out_klo,
                  out_khi, nqty, permute, memoryflag, &sendsize, &recvsize);
  }
  void remap(FFT_SCALAR* in, FFT_SCALAR* out, FFT_SCALAR* sendbuf, FFT_SCALAR* recvbuf) {
    remap3d_remap(remap_, in, out, sendbuf, recvbuf);
  }
};

class Remap2d : public detail::moves {
 public:
  using moves::moves;
  void setup(int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo, int out_ihi, int out_jlo, int out_jhi,
             int nqty, int permute, int memoryflag, int& sendsize, int& recvsize) {
    remap2d_setup(remap_, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi, nqty, permute, memoryflag,
                  &sendsize, &recvsize);
  }
  void remap(FFT_SCALAR* in, FFT_SCALAR* out, FFT_SCALAR* sendbuf, FFT_SCALAR* recvbuf) {
    remap2d_remap(remap_, in, out, sendbuf, recvbuf);
  }
};

}  // namespace FFTMPI_NS
#endif
