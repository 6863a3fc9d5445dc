! SPDX-License-Identifier: BSD-3-Clause
! The module of fftMPI for 3-D remaps, by Oshen. Compile fftmpi_fortran.c with it.
! oshen/fftmpi.h describes the calls.
module remap3d_wrap
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    subroutine remap3d_create(comm, remap) bind(C, name="remap3d_create_fortran")
      import
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: remap
    end subroutine

    subroutine remap3d_destroy(remap) bind(C, name="remap3d_destroy")
      import
      type(c_ptr), value :: remap
    end subroutine

    subroutine remap3d_set(remap, keyword, value) bind(C, name="remap3d_set")
      import
      type(c_ptr), value :: remap
      character(kind=c_char), intent(in) :: keyword(*)
      integer(c_int), value :: value
    end subroutine

    subroutine remap3d_setup(remap, in_ilo, in_ihi, in_jlo, in_jhi, in_klo, in_khi, out_ilo, out_ihi, out_jlo, &
        out_jhi, out_klo, out_khi, nqty, permute, memoryflag, sendsize, recvsize) bind(C, &
        name="remap3d_setup_fortran")
      import
      type(c_ptr), value :: remap
      integer(c_int), value :: in_ilo, in_ihi, in_jlo, in_jhi, in_klo, in_khi, out_ilo, out_ihi, out_jlo, out_jhi, &
          out_klo, out_khi, nqty, permute, memoryflag
      integer(c_int), intent(out) :: sendsize, recvsize
    end subroutine

    subroutine remap3d_remap(remap, in, out, sendbuf, recvbuf) bind(C, name="remap3d_remap")
      import
      type(c_ptr), value :: remap, in, out, sendbuf, recvbuf
    end subroutine
  end interface
end module
