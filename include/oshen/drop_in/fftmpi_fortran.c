/* The calls of fftMPI's Fortran modules, for programs that compile fft3d_wrap.f90 and the like of this folder:
 *
 *     mpicc -c -I<include folder> fftmpi_fortran.c
 *
 * Fortran counts from 1 and has communicators of its own. */
#define OSHEN_FFTMPI_API
#include "../fftmpi.h"

void fft3d_create_fortran(MPI_Fint comm, int precision, void** fft);
void fft3d_create_fortran(MPI_Fint comm, int precision, void** fft) {
  fft3d_create(MPI_Comm_f2c(comm), precision, fft);
}

char* fft3d_get_string_fortran(void* fft, const char* keyword);
char* fft3d_get_string_fortran(void* fft, const char* keyword) {
  int length = 0;
  return fft3d_get_string(fft, keyword, &length);
}

void fft3d_setup_fortran(void* fft, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi,
                         int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo,
                         int out_khi, int permute, int* fftsize, int* sendsize, int* recvsize);
void fft3d_setup_fortran(void* fft, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi,
                         int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo,
                         int out_khi, int permute, int* fftsize, int* sendsize, int* recvsize) {
  fft3d_setup(fft, nfast, nmid, nslow, in_ilo - 1, in_ihi - 1, in_jlo - 1, in_jhi - 1, in_klo - 1, in_khi - 1,
              out_ilo - 1, out_ihi - 1, out_jlo - 1, out_jhi - 1, out_klo - 1, out_khi - 1, permute, fftsize, sendsize,
              recvsize);
}

void fft3d_tune_fortran(void* fft, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi,
                        int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo,
                        int out_khi, int permute, int* fftsize, int* sendsize, int* recvsize, int flag, int niter,
                        double tmax, int tflag);
void fft3d_tune_fortran(void* fft, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi,
                        int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo,
                        int out_khi, int permute, int* fftsize, int* sendsize, int* recvsize, int flag, int niter,
                        double tmax, int tflag) {
  fft3d_tune(fft, nfast, nmid, nslow, in_ilo - 1, in_ihi - 1, in_jlo - 1, in_jhi - 1, in_klo - 1, in_khi - 1,
             out_ilo - 1, out_ihi - 1, out_jlo - 1, out_jhi - 1, out_klo - 1, out_khi - 1, permute, fftsize, sendsize,
             recvsize, flag, niter, tmax, tflag);
}

void remap3d_create_fortran(MPI_Fint comm, void** remap);
void remap3d_create_fortran(MPI_Fint comm, void** remap) { remap3d_create(MPI_Comm_f2c(comm), remap); }

void remap3d_setup_fortran(void* remap, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi,
                           int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo, int out_khi, int nqty,
                           int permute, int memoryflag, int* sendsize, int* recvsize);
void remap3d_setup_fortran(void* remap, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi,
                           int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo, int out_khi, int nqty,
                           int permute, int memoryflag, int* sendsize, int* recvsize) {
  remap3d_setup(remap, in_ilo - 1, in_ihi - 1, in_jlo - 1, in_jhi - 1, in_klo - 1, in_khi - 1, out_ilo - 1, out_ihi - 1,
                out_jlo - 1, out_jhi - 1, out_klo - 1, out_khi - 1, nqty, permute, memoryflag, sendsize, recvsize);
}

void fft2d_create_fortran(MPI_Fint comm, int precision, void** fft);
void fft2d_create_fortran(MPI_Fint comm, int precision, void** fft) {
  fft2d_create(MPI_Comm_f2c(comm), precision, fft);
}

char* fft2d_get_string_fortran(void* fft, const char* keyword);
char* fft2d_get_string_fortran(void* fft, const char* keyword) {
  int length = 0;
  return fft2d_get_string(fft, keyword, &length);
}

void fft2d_setup_fortran(void* fft, int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo,
                         int out_ihi, int out_jlo, int out_jhi, int permute, int* fftsize, int* sendsize,
                         int* recvsize);
void fft2d_setup_fortran(void* fft, int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo,
                         int out_ihi, int out_jlo, int out_jhi, int permute, int* fftsize, int* sendsize,
                         int* recvsize) {
  fft2d_setup(fft, nfast, nslow, in_ilo - 1, in_ihi - 1, in_jlo - 1, in_jhi - 1, out_ilo - 1, out_ihi - 1, out_jlo - 1,
              out_jhi - 1, permute, fftsize, sendsize, recvsize);
}

void fft2d_tune_fortran(void* fft, int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo,
                        int out_ihi, int out_jlo, int out_jhi, int permute, int* fftsize, int* sendsize, int* recvsize,
                        int flag, int niter, double tmax, int tflag);
void fft2d_tune_fortran(void* fft, int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo,
                        int out_ihi, int out_jlo, int out_jhi, int permute, int* fftsize, int* sendsize, int* recvsize,
                        int flag, int niter, double tmax, int tflag) {
  fft2d_tune(fft, nfast, nslow, in_ilo - 1, in_ihi - 1, in_jlo - 1, in_jhi - 1, out_ilo - 1, out_ihi - 1, out_jlo - 1,
             out_jhi - 1, permute, fftsize, sendsize, recvsize, flag, niter, tmax, tflag);
}

void remap2d_create_fortran(MPI_Fint comm, void** remap);
void remap2d_create_fortran(MPI_Fint comm, void** remap) { remap2d_create(MPI_Comm_f2c(comm), remap); }

void remap2d_setup_fortran(void* remap, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo, int out_ihi,
                           int out_jlo, int out_jhi, int nqty, int permute, int memoryflag, int* sendsize,
                           int* recvsize);
void remap2d_setup_fortran(void* remap, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo, int out_ihi,
                           int out_jlo, int out_jhi, int nqty, int permute, int memoryflag, int* sendsize,
                           int* recvsize) {
  remap2d_setup(remap, in_ilo - 1, in_ihi - 1, in_jlo - 1, in_jhi - 1, out_ilo - 1, out_ihi - 1, out_jlo - 1,
                out_jhi - 1, nqty, permute, memoryflag, sendsize, recvsize);
}
