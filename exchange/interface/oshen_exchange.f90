! SPDX-License-Identifier: BSD-3-Clause
! Exchange plans for Fortran 2018: the names of oshen/exchange.h, which documents each call, its callers and threads.
! Differences:
!
!   * oshen_plan_create and oshen_plan_need take arrays of messages; the other attributes are optional arguments.
!   * oshen_run and oshen_block make messages from elements of Fortran arrays, which count from 1. Members of a group and
!     bytes count from 0, as in C.
!   * Buffers are whole arrays of any type and rank, or x(i) for the part that begins there. Buffers of a run that is
!     started and released separately need the attributes target and asynchronous or volatile, as for non-blocking MPI
!     calls.
!
! Link: oshfort program.f90 -loshen-exchange -lstdc++
module oshen_exchange
  use, intrinsic :: iso_c_binding
  use shmem, only: shmem_team_t
  implicit none
  private

  integer(c_int), parameter, public :: OSHEN_OK = 0, OSHEN_INVALID = 1, OSHEN_UNSUPPORTED = 2, OSHEN_NO_SPACE = 3, &
    OSHEN_MISMATCH = 4
  integer(c_int), parameter, public :: OSHEN_IN_SYMMETRIC = 1, OSHEN_OUT_SYMMETRIC = 2, OSHEN_BUFFERS_APART = 4

  type, bind(C), public :: oshen_arena_t
    type(c_ptr), private :: it = c_null_ptr
  end type
  type, bind(C), public :: oshen_group_t
    type(c_ptr), private :: it = c_null_ptr
  end type
  type, bind(C), public :: oshen_plan_t
    type(c_ptr), private :: it = c_null_ptr
  end type

  ! Offsets and strides are in bytes.
  type, bind(C), public :: oshen_box_t
    integer(c_size_t) :: offset = 0, element = 0, extent(3) = 1, stride(3) = 0
  end type
  type, bind(C), public :: oshen_message_t
    integer(c_int) :: peer = 0
    integer(c_size_t) :: bytes = 0
    type(oshen_box_t) :: box
  end type

  type, bind(C), public :: oshen_need_t
    integer(c_size_t) :: symmetric = 0, ordinary = 0
  end type
  type, bind(C), public :: oshen_plan_stats_t
    integer(c_int64_t) :: runs = 0, messages = 0, bytes = 0, bytes_direct = 0, bytes_self = 0
    real(c_double) :: pack_seconds = 0, wait_seconds = 0, unpack_seconds = 0
    integer(c_int) :: latest_peer = -1
    integer(c_int64_t) :: latest_runs = 0
    real(c_double) :: latest_seconds = 0
  end type

  ! oshen_plan_attr_t of C; the procedures below fill it.
  type, bind(C) :: attributes
    integer(c_size_t) :: size = 0
    type(c_ptr) :: strategy = c_null_ptr, sends = c_null_ptr, receives = c_null_ptr
    integer(c_int) :: n_sends = 0, n_receives = 0
    type(c_funptr) :: pack = c_null_funptr, unpack = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    integer(c_int) :: n_fields = 0
    integer(c_size_t) :: in_field_stride = 0, out_field_stride = 0
    integer(c_int) :: buffers = 0
    type(c_ptr) :: send_offsets = c_null_ptr, receive_offsets = c_null_ptr, choices = c_null_ptr
    integer(c_int) :: expected_runs = 0
  end type

  interface
    integer(c_int) function oshen_arena_create(bytes, arena) bind(C)
      import
      integer(c_size_t), value :: bytes
      type(oshen_arena_t), intent(out) :: arena
    end function
    subroutine oshen_arena_destroy(arena) bind(C)
      import
      type(oshen_arena_t), value :: arena
    end subroutine
    type(c_ptr) function oshen_arena_alloc(arena, bytes) bind(C)
      import
      type(oshen_arena_t), value :: arena
      integer(c_size_t), value :: bytes
    end function
    subroutine oshen_arena_free(arena, buffer) bind(C)
      import
      type(oshen_arena_t), value :: arena
      type(c_ptr), value :: buffer
    end subroutine

    integer(c_int) function oshen_group_create(arena, team, group) bind(C)
      import
      type(oshen_arena_t), value :: arena
      type(shmem_team_t), value :: team
      type(oshen_group_t), intent(out) :: group
    end function
    integer(c_int) function oshen_group_create_from_list(arena, pes, n_pes, group) bind(C)
      import
      type(oshen_arena_t), value :: arena
      integer(c_int), intent(in) :: pes(*)
      integer(c_int), value :: n_pes
      type(oshen_group_t), intent(out) :: group
    end function
    subroutine oshen_group_destroy(group) bind(C)
      import
      type(oshen_group_t), value :: group
    end subroutine
    integer(c_int) function oshen_group_size(group) bind(C)
      import
      type(oshen_group_t), value :: group
    end function
    integer(c_int) function oshen_group_rank(group) bind(C)
      import
      type(oshen_group_t), value :: group
    end function
    integer(c_int) function oshen_group_pe(group, member) bind(C)
      import
      type(oshen_group_t), value :: group
      integer(c_int), value :: member
    end function

    ! low counts from 0, like the boxes of oshen_fft.
    integer(c_int) function oshen_grid_dims(n, extent, dims) bind(C)
      import
      integer(c_int), value :: n
      integer(c_int), intent(in) :: extent(3)
      integer(c_int), intent(inout) :: dims(3)
    end function
    subroutine oshen_grid_coords(dims, member, coords) bind(C)
      import
      integer(c_int), intent(in) :: dims(3)
      integer(c_int), value :: member
      integer(c_int), intent(out) :: coords(3)
    end subroutine
    integer(c_int) function oshen_grid_member(dims, coords, periodic) bind(C)
      import
      integer(c_int), intent(in) :: dims(3), coords(3)
      integer(c_int), value :: periodic
    end function
    subroutine oshen_grid_box(extent, dims, member, low, size) bind(C)
      import
      integer(c_int), intent(in) :: extent(3), dims(3)
      integer(c_int), value :: member
      integer(c_int), intent(out) :: low(3), size(3)
    end subroutine

    subroutine oshen_plan_run(plan, in, out) bind(C)
      import
      type(oshen_plan_t), value :: plan
      type(*), intent(in) :: in(*)
      type(*), intent(inout) :: out(*)
    end subroutine
    subroutine oshen_plan_start(plan, in, out) bind(C)
      import
      type(oshen_plan_t), value :: plan
      type(*), intent(in), asynchronous :: in(*)
      type(*), intent(inout), asynchronous :: out(*)
    end subroutine
    integer(c_int) function oshen_plan_test(plan) bind(C)
      import
      type(oshen_plan_t), value :: plan
    end function
    integer(c_int) function oshen_plan_wait_any(plan) bind(C)
      import
      type(oshen_plan_t), value :: plan
    end function
    integer(c_int) function oshen_plan_has_arrived(plan, peer) bind(C)
      import
      type(oshen_plan_t), value :: plan
      integer(c_int), value :: peer
    end function
    integer(c_int) function oshen_plan_in_is_free(plan) bind(C)
      import
      type(oshen_plan_t), value :: plan
    end function
    subroutine oshen_plan_release(plan) bind(C)
      import
      type(oshen_plan_t), value :: plan
    end subroutine
    subroutine oshen_plan_destroy(plan) bind(C)
      import
      type(oshen_plan_t), value :: plan
    end subroutine
  end interface

  ! oshen_halo_t of C; oshen_halo_create fills it.
  type, bind(C) :: halo_attributes
    integer(c_size_t) :: size = 0
    integer(c_int) :: extent(3) = 1, dims(3) = 1
    type(c_ptr) :: parts = c_null_ptr
    integer(c_int) :: below(3) = 0, above(3) = 0, periodic = 0, faces_only = 0
    integer(c_size_t) :: element = 0, stride(3) = 0, offset = 0
  end type

  interface
    integer(c_int) function c_halo_create(group, halo, attr, plan) bind(C, name="oshen_halo_create")
      import
      type(oshen_group_t), value :: group
      type(halo_attributes), intent(in) :: halo
      type(attributes), intent(in) :: attr
      type(oshen_plan_t), intent(out) :: plan
    end function
    integer(c_int) function c_plan_create(group, attr, plan) bind(C, name="oshen_plan_create")
      import
      type(oshen_group_t), value :: group
      type(attributes), intent(in) :: attr
      type(oshen_plan_t), intent(out) :: plan
    end function
    integer(c_int) function c_plan_need(group, attr, need, size) bind(C, name="oshen_plan_need")
      import
      type(oshen_group_t), value :: group
      type(attributes), intent(in) :: attr
      type(oshen_need_t), intent(out) :: need
      integer(c_size_t), value :: size
    end function
    subroutine c_plan_stats(plan, stats, size) bind(C, name="oshen_plan_stats")
      import
      type(oshen_plan_t), value :: plan
      type(oshen_plan_stats_t), intent(out) :: stats
      integer(c_size_t), value :: size
    end subroutine
    integer(c_size_t) function c_plan_describe(plan, text, size) bind(C, name="oshen_plan_describe")
      import
      type(oshen_plan_t), value :: plan
      character(c_char), intent(out) :: text(*)
      integer(c_size_t), value :: size
    end function
    type(c_ptr) function c_plan_strategy(plan) bind(C, name="oshen_plan_strategy")
      import
      type(oshen_plan_t), value :: plan
    end function
    type(c_ptr) function c_status_text(status) bind(C, name="oshen_status_text")
      import
      integer(c_int), value :: status
    end function
    integer(c_size_t) function strlen(text) bind(C)
      import
      type(c_ptr), value :: text
    end function
  end interface

  public :: oshen_arena_create, oshen_arena_destroy, oshen_arena_alloc, oshen_arena_free
  public :: oshen_group_create, oshen_group_create_from_list, oshen_group_destroy, oshen_group_size, oshen_group_rank, &
    oshen_group_pe
  public :: oshen_grid_dims, oshen_grid_coords, oshen_grid_member, oshen_grid_box
  public :: oshen_run, oshen_block, oshen_plan_create, oshen_plan_need, oshen_halo_create, oshen_plan_run, &
    oshen_plan_start, oshen_plan_test, &
    oshen_plan_wait_any, oshen_plan_has_arrived, oshen_plan_in_is_free, oshen_plan_release, oshen_plan_destroy, &
    oshen_plan_stats, oshen_plan_describe, oshen_plan_strategy, oshen_status_text

contains

  ! `count` elements of `element` bytes, starting at element `first` of a buffer.
  pure type(oshen_message_t) function oshen_run(peer, first, count, element)
    integer, intent(in) :: peer, first, count, element
    oshen_run = oshen_block(peer, first, [count, 1, 1], [1, 0, 0], element)
  end function

  ! Element (a, b, c), each from 0 to extent - 1, is number first + a * stride(1) + b * stride(2) + c * stride(3).
  pure type(oshen_message_t) function oshen_block(peer, first, extent, stride, element)
    integer, intent(in) :: peer, first, extent(3), stride(3), element
    integer(c_size_t) :: bytes
    bytes = int(element, c_size_t)
    oshen_block%peer = int(peer, c_int)
    oshen_block%bytes = bytes * product(int(extent, c_size_t))
    oshen_block%box%offset = (int(first, c_size_t) - 1) * bytes
    oshen_block%box%element = bytes
    oshen_block%box%extent = extent
    oshen_block%box%stride = int(stride, c_size_t) * bytes
  end function

  ! send_offsets and receive_offsets hold, for each message, c_null_ptr or the address of one offset (c_size_t, bytes)
  ! per element.
  integer(c_int) function oshen_plan_create(group, sends, receives, plan, strategy, buffers, n_fields, in_field_stride, &
      out_field_stride, send_offsets, receive_offsets, choices, expected_runs) result(status)
    type(oshen_group_t), intent(in) :: group
    type(oshen_message_t), intent(in), target, contiguous :: sends(:), receives(:)
    type(oshen_plan_t), intent(out) :: plan
    character(*), intent(in), optional :: strategy, choices
    integer(c_int), intent(in), optional :: buffers, n_fields, expected_runs
    integer(c_size_t), intent(in), optional :: in_field_stride, out_field_stride
    type(c_ptr), intent(in), optional, target, contiguous :: send_offsets(:), receive_offsets(:)
    character(len=:, kind=c_char), allocatable, target :: name, file
    type(attributes) :: attr
    attr = lists(sends, receives, buffers, n_fields, in_field_stride, out_field_stride)
    call say(strategy, name, attr%strategy)
    call say(choices, file, attr%choices)
    if (present(send_offsets)) attr%send_offsets = c_loc(send_offsets)
    if (present(receive_offsets)) attr%receive_offsets = c_loc(receive_offsets)
    if (present(expected_runs)) attr%expected_runs = expected_runs
    status = c_plan_create(group, attr, plan)
  end function

  integer(c_int) function oshen_plan_need(group, sends, receives, need, strategy, buffers, n_fields) result(status)
    type(oshen_group_t), intent(in) :: group
    type(oshen_message_t), intent(in), target, contiguous :: sends(:), receives(:)
    type(oshen_need_t), intent(out) :: need
    character(*), intent(in), optional :: strategy
    integer(c_int), intent(in), optional :: buffers, n_fields
    character(len=:, kind=c_char), allocatable, target :: name
    type(attributes) :: attr
    attr = lists(sends, receives, buffers, n_fields)
    call say(strategy, name, attr%strategy)
    status = c_plan_need(group, attr, need, c_sizeof(need))
  end function

  subroutine oshen_plan_stats(plan, stats)
    type(oshen_plan_t), intent(in) :: plan
    type(oshen_plan_stats_t), intent(out) :: stats
    call c_plan_stats(plan, stats, c_sizeof(stats))
  end subroutine

  ! A plan for the ghost elements of field(1 - below(1) : n(1) + above(1), ...), where n is the part of this PE in the grid
  ! `dims`: call oshen_plan_run(plan, field, field). element: bytes. periodic: whether each axis is a ring.
  integer(c_int) function oshen_halo_create(group, extent, dims, below, above, element, plan, periodic, faces_only, &
      strategy, buffers, n_fields, field_stride, expected_runs) result(status)
    type(oshen_group_t), intent(in) :: group
    integer, intent(in) :: extent(3), dims(3), below(3), above(3), element
    type(oshen_plan_t), intent(out) :: plan
    logical, intent(in), optional :: periodic(3), faces_only
    character(*), intent(in), optional :: strategy
    integer(c_int), intent(in), optional :: buffers, n_fields, expected_runs
    integer(c_size_t), intent(in), optional :: field_stride
    character(len=:, kind=c_char), allocatable, target :: name
    type(oshen_message_t), target :: none(0)
    type(attributes) :: attr
    type(halo_attributes) :: halo
    attr = lists(none, none, buffers, n_fields, field_stride, field_stride)
    call say(strategy, name, attr%strategy)
    if (present(expected_runs)) attr%expected_runs = expected_runs
    halo%size = c_sizeof(halo)
    halo%extent = int(extent, c_int)
    halo%dims = int(dims, c_int)
    halo%below = int(below, c_int)
    halo%above = int(above, c_int)
    halo%element = element
    if (present(periodic)) halo%periodic = int(sum(merge([1, 2, 4], 0, periodic)), c_int)
    if (present(faces_only)) halo%faces_only = merge(1, 0, faces_only)
    status = c_halo_create(group, halo, attr, plan)
  end function

  type(attributes) function lists(sends, receives, buffers, n_fields, in_field_stride, out_field_stride) result(attr)
    type(oshen_message_t), intent(in), target, contiguous :: sends(:), receives(:)
    integer(c_int), intent(in), optional :: buffers, n_fields
    integer(c_size_t), intent(in), optional :: in_field_stride, out_field_stride
    attr%size = c_sizeof(attr)
    attr%n_sends = size(sends)
    attr%n_receives = size(receives)
    if (size(sends) > 0) attr%sends = c_loc(sends)
    if (size(receives) > 0) attr%receives = c_loc(receives)
    if (present(buffers)) attr%buffers = buffers
    if (present(n_fields)) attr%n_fields = n_fields
    if (present(in_field_stride)) attr%in_field_stride = in_field_stride
    if (present(out_field_stride)) attr%out_field_stride = out_field_stride
  end function

  ! Copies a text into a C string in `copy`.
  subroutine say(text, copy, there)
    character(*), intent(in), optional :: text
    character(len=:, kind=c_char), allocatable, target, intent(out) :: copy
    type(c_ptr), intent(out) :: there
    there = c_null_ptr
    if (.not. present(text)) return
    copy = trim(text) // c_null_char
    there = c_loc(copy)
  end subroutine

  function oshen_plan_describe(plan) result(text)
    type(oshen_plan_t), intent(in) :: plan
    character(len=:), allocatable :: text
    character(c_char) :: line(1024)
    integer :: i, length
    length = int(min(c_plan_describe(plan, line, size(line, kind=c_size_t)), size(line, kind=c_size_t) - 1))
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = line(i)
    end do
  end function

  function oshen_plan_strategy(plan) result(text)
    type(oshen_plan_t), intent(in) :: plan
    character(len=:), allocatable :: text
    text = text_at(c_plan_strategy(plan))
  end function

  function oshen_status_text(status) result(text)
    integer(c_int), intent(in) :: status
    character(len=:), allocatable :: text
    text = text_at(c_status_text(status))
  end function

  function text_at(there) result(text)
    type(c_ptr), intent(in) :: there
    character(len=:), allocatable :: text
    character(c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(there, letters, [strlen(there)])
    allocate (character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function
end module oshen_exchange
