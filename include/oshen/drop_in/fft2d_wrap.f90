! SPDX-License-Identifier: BSD-3-Clause
! The module of fftMPI for 2-D transforms, by Oshen. Compile fftmpi_fortran.c with it.
! oshen/fftmpi.h describes the calls.
module fft2d_wrap
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    subroutine fft2d_create(comm, precision, fft) bind(C, name="fft2d_create_fortran")
      import
      integer(c_int), value :: comm, precision
      type(c_ptr), intent(out) :: fft
    end subroutine

    subroutine fft2d_destroy(fft) bind(C, name="fft2d_destroy")
      import
      type(c_ptr), value :: fft
    end subroutine

    subroutine fft2d_set(fft, keyword, value) bind(C, name="fft2d_set")
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      integer(c_int), value :: value
    end subroutine

    function fft2d_get_int(fft, keyword) bind(C, name="fft2d_get_int") result(answer)
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      integer(c_int) :: answer
    end function

    function fft2d_get_double(fft, keyword) bind(C, name="fft2d_get_double") result(answer)
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      real(c_double) :: answer
    end function

    function fft2d_get_int64(fft, keyword) bind(C, name="fft2d_get_int64") result(answer)
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      integer(c_int64_t) :: answer
    end function

    function fft2d_get_string(fft, keyword) bind(C, name="fft2d_get_string_fortran") result(answer)
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      type(c_ptr) :: answer
    end function

    function fft2d_get_int_vector(fft, keyword, length) bind(C, name="fft2d_get_int_vector") result(answer)
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      integer(c_int), intent(out) :: length
      type(c_ptr) :: answer
    end function

    function fft2d_get_double_vector(fft, keyword, length) bind(C, name="fft2d_get_double_vector") result(answer)
      import
      type(c_ptr), value :: fft
      character(kind=c_char), intent(in) :: keyword(*)
      integer(c_int), intent(out) :: length
      type(c_ptr) :: answer
    end function

    subroutine fft2d_setup(fft, nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi, &
        permute, fftsize, sendsize, recvsize) bind(C, name="fft2d_setup_fortran")
      import
      type(c_ptr), value :: fft
      integer(c_int), value :: nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi, &
          permute
      integer(c_int), intent(out) :: fftsize, sendsize, recvsize
    end subroutine

    subroutine fft2d_tune(fft, nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi, &
        permute, fftsize, sendsize, recvsize, flag, niter, tmax, tflag) bind(C, name="fft2d_tune_fortran")
      import
      type(c_ptr), value :: fft
      integer(c_int), value :: nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi, &
          permute, flag, niter, tflag
      integer(c_int), intent(out) :: fftsize, sendsize, recvsize
      real(c_double), value :: tmax
    end subroutine

    subroutine fft2d_setup_memory(fft, sendbuf, recvbuf) bind(C, name="fft2d_setup_memory")
      import
      type(c_ptr), value :: fft, sendbuf, recvbuf
    end subroutine

    subroutine fft2d_compute(fft, in, out, flag) bind(C, name="fft2d_compute")
      import
      type(c_ptr), value :: fft, in, out
      integer(c_int), value :: flag
    end subroutine

    subroutine fft2d_only_remaps(fft, in, out, flag) bind(C, name="fft2d_only_remaps")
      import
      type(c_ptr), value :: fft, in, out
      integer(c_int), value :: flag
    end subroutine

    subroutine fft2d_only_1d_ffts(fft, in, flag) bind(C, name="fft2d_only_1d_ffts")
      import
      type(c_ptr), value :: fft, in
      integer(c_int), value :: flag
    end subroutine

    subroutine fft2d_only_one_remap(fft, in, out, flag, which) bind(C, name="fft2d_only_one_remap")
      import
      type(c_ptr), value :: fft, in, out
      integer(c_int), value :: flag, which
    end subroutine
  end interface
end module
