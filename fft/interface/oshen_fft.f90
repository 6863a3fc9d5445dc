! SPDX-License-Identifier: BSD-3-Clause
! The FFT for Fortran 2018: the names of oshen/fft.h, which documents each call. Axis 0 is the first index of a Fortran
! array; low, order and halved_axis count from 0, as in C. The calls set attr%size; the name of a strategy is an
! optional argument. Buffers are as in module oshen_exchange.
!
! Link: oshfort program.f90 -loshen-fft -loshen-exchange -lfftw3 -lfftw3f -lstdc++
module oshen_fft
  use, intrinsic :: iso_c_binding
  use oshen_exchange
  implicit none
  private

  integer(c_int), parameter, public :: OSHEN_FFT_DOUBLE = 0, OSHEN_FFT_FLOAT = 1
  integer(c_int), parameter, public :: OSHEN_FFT_COMPLEX = 0, OSHEN_FFT_REAL = 1, OSHEN_FFT_REAL_TO_REAL = 2
  integer(c_int), parameter, public :: OSHEN_FFT_FOURIER = 0, OSHEN_FFT_NOTHING = 1, OSHEN_FFT_DCT1 = 2, OSHEN_FFT_DCT2 = 3, &
    OSHEN_FFT_DCT3 = 4, OSHEN_FFT_DCT4 = 5, OSHEN_FFT_DST1 = 6, OSHEN_FFT_DST2 = 7, OSHEN_FFT_DST3 = 8, OSHEN_FFT_DST4 = 9, &
    OSHEN_FFT_HARTLEY = 10, OSHEN_FFT_R2HC = 11, OSHEN_FFT_HC2R = 12
  integer(c_int), parameter, public :: OSHEN_FFT_ESTIMATE = 0, OSHEN_FFT_MEASURE = 1, OSHEN_FFT_BRIEF = 2, &
                                       OSHEN_FFT_AUTO = 3
  integer(c_int), parameter, public :: OSHEN_FFT_ANY = 0, OSHEN_FFT_SLABS = 1, OSHEN_FFT_PENCILS = 2, OSHEN_FFT_BRICKS = 3
  integer(c_int), parameter, public :: OSHEN_FFT_SCALE_NONE = 0, OSHEN_FFT_SCALE_FULL = 1, OSHEN_FFT_SCALE_SYMMETRIC = 2

  type, bind(C), public :: oshen_fft_box_t
    integer(c_int) :: low(3) = 0, size(3) = 0, order(3) = 0
  end type

  type, bind(C), public :: oshen_fft_attr_t
    integer(c_size_t) :: size = 0
    integer(c_int) :: extent(3) = 0, kind = OSHEN_FFT_COMPLEX, precision = OSHEN_FFT_DOUBLE
    type(oshen_fft_box_t) :: in, out
    integer(c_int) :: fields = 1
    integer(c_size_t) :: in_distance = 0, out_distance = 0
    integer(c_int) :: effort = OSHEN_FFT_ESTIMATE, decomposition = OSHEN_FFT_ANY
    type(c_ptr) :: strategy = c_null_ptr
    integer(c_int) :: buffers = 0, halved_axis = 0, along(3) = OSHEN_FFT_FOURIER, convolution = 0
    type(c_ptr) :: workspace = c_null_ptr
    integer(c_size_t) :: workspace_bytes = 0
    integer(c_int) :: columns = 0, expected_runs = 0
    integer(c_size_t) :: in_embed(3) = 0, out_embed(3) = 0
    integer(c_int) :: kept(3) = 0
  end type

  type, bind(C), public :: oshen_fft_t
    type(c_ptr), private :: it = c_null_ptr
  end type
  type, bind(C), public :: oshen_fft_need_t
    integer(c_size_t) :: symmetric = 0, workspace = 0, ordinary = 0
  end type
  type, bind(C), public :: oshen_fft_workspace_t
    integer(c_size_t) :: symmetric = 0, ordinary = 0
  end type

  type, bind(C), public :: oshen_fft_stats_t
    integer(c_int64_t) :: runs = 0
    real(c_double) :: transform_seconds = 0, copy_seconds = 0, exchange_seconds = 0, wait_seconds = 0
    integer(c_int64_t) :: transform_bytes = 0, copy_bytes = 0, exchange_bytes = 0
  end type

  interface
    subroutine oshen_fft_destroy(fft) bind(C)
      import
      type(oshen_fft_t), value :: fft
    end subroutine
    subroutine oshen_fft_forward(fft, in, out, scale) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
      integer(c_int), value :: scale
    end subroutine
    subroutine oshen_fft_backward(fft, in, out, scale) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
      integer(c_int), value :: scale
    end subroutine
    subroutine oshen_fft_convolve(fft, in, out, scale) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
      integer(c_int), value :: scale
    end subroutine
    subroutine oshen_fft_forward_start(fft, in, out, scale) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in), asynchronous :: in(*)
      type(*), intent(inout), asynchronous :: out(*)
      integer(c_int), value :: scale
    end subroutine
    subroutine oshen_fft_backward_start(fft, in, out, scale) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in), asynchronous :: in(*)
      type(*), intent(inout), asynchronous :: out(*)
      integer(c_int), value :: scale
    end subroutine
    subroutine oshen_fft_convolve_start(fft, in, out, scale) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in), asynchronous :: in(*)
      type(*), intent(inout), asynchronous :: out(*)
      integer(c_int), value :: scale
    end subroutine
    integer(c_int) function oshen_fft_test(fft) bind(C)
      import
      type(oshen_fft_t), value :: fft
    end function
    subroutine oshen_fft_wait(fft) bind(C)
      import
      type(oshen_fft_t), value :: fft
    end subroutine
    integer(c_int) function oshen_fft_line(length, members, member, in, out) bind(C)
      import
      integer(c_int), value :: length, members, member
      type(oshen_fft_box_t), intent(out) :: in, out
    end function
    integer(c_int) function oshen_fft_set_factors(fft, factors) bind(C)
      import
      type(oshen_fft_t), value :: fft
      type(*), intent(in) :: factors(*)
    end function
  end interface

  interface
    integer(c_int) function c_fft_create(group, attr, fft) bind(C, name="oshen_fft_create")
      import
      type(oshen_group_t), value :: group
      type(oshen_fft_attr_t), intent(in) :: attr
      type(oshen_fft_t), intent(out) :: fft
    end function
    integer(c_int) function c_fft_need(group, attr, need, size) bind(C, name="oshen_fft_need")
      import
      type(oshen_group_t), value :: group
      type(oshen_fft_attr_t), intent(in) :: attr
      type(oshen_fft_need_t), intent(out) :: need
      integer(c_size_t), value :: size
    end function
    subroutine c_fft_workspace(fft, bytes, size) bind(C, name="oshen_fft_workspace")
      import
      type(oshen_fft_t), value :: fft
      type(oshen_fft_workspace_t), intent(out) :: bytes
      integer(c_size_t), value :: size
    end subroutine
    subroutine c_fft_stats(fft, stats, size) bind(C, name="oshen_fft_stats")
      import
      type(oshen_fft_t), value :: fft
      type(oshen_fft_stats_t), intent(out) :: stats
      integer(c_size_t), value :: size
    end subroutine
    integer(c_size_t) function c_fft_describe(fft, text, size) bind(C, name="oshen_fft_describe")
      import
      type(oshen_fft_t), value :: fft
      character(c_char), intent(out) :: text(*)
      integer(c_size_t), value :: size
    end function
  end interface

  public :: oshen_fft_create, oshen_fft_need, oshen_fft_destroy, oshen_fft_forward, oshen_fft_backward, oshen_fft_convolve, &
    oshen_fft_forward_start, oshen_fft_backward_start, oshen_fft_convolve_start, oshen_fft_test, oshen_fft_wait, &
    oshen_fft_set_factors, oshen_fft_workspace, oshen_fft_stats, oshen_fft_describe, oshen_fft_line

contains

  integer(c_int) function oshen_fft_create(group, attr, fft, strategy) result(status)
    type(oshen_group_t), intent(in) :: group
    type(oshen_fft_attr_t), intent(in) :: attr
    type(oshen_fft_t), intent(out) :: fft
    character(*), intent(in), optional :: strategy
    character(len=:, kind=c_char), allocatable, target :: name
    status = c_fft_create(group, complete(attr, strategy, name), fft)
  end function

  integer(c_int) function oshen_fft_need(group, attr, need, strategy) result(status)
    type(oshen_group_t), intent(in) :: group
    type(oshen_fft_attr_t), intent(in) :: attr
    type(oshen_fft_need_t), intent(out) :: need
    character(*), intent(in), optional :: strategy
    character(len=:, kind=c_char), allocatable, target :: name
    status = c_fft_need(group, complete(attr, strategy, name), need, c_sizeof(need))
  end function

  subroutine oshen_fft_workspace(fft, bytes)
    type(oshen_fft_t), intent(in) :: fft
    type(oshen_fft_workspace_t), intent(out) :: bytes
    call c_fft_workspace(fft, bytes, c_sizeof(bytes))
  end subroutine

  subroutine oshen_fft_stats(fft, stats)
    type(oshen_fft_t), intent(in) :: fft
    type(oshen_fft_stats_t), intent(out) :: stats
    call c_fft_stats(fft, stats, c_sizeof(stats))
  end subroutine

  ! The attributes with their size, and with the strategy's name as a C string in `name`.
  type(oshen_fft_attr_t) function complete(attr, strategy, name) result(whole)
    type(oshen_fft_attr_t), intent(in) :: attr
    character(*), intent(in), optional :: strategy
    character(len=:, kind=c_char), allocatable, target, intent(inout) :: name
    whole = attr
    whole%size = c_sizeof(whole)
    if (.not. present(strategy)) return
    name = trim(strategy) // c_null_char
    whole%strategy = c_loc(name)
  end function

  function oshen_fft_describe(fft) result(text)
    type(oshen_fft_t), intent(in) :: fft
    character(len=:), allocatable :: text
    character(c_char) :: line(1024)
    integer :: i, length
    length = int(min(c_fft_describe(fft, line, size(line, kind=c_size_t)), size(line, kind=c_size_t) - 1))
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = line(i)
    end do
  end function
end module oshen_fft
