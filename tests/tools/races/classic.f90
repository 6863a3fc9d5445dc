! SPDX-License-Identifier: BSD-3-Clause
! Classic races of one-sided programs in Fortran, and for each a twin that is right.
! usage: classic NAME wrong|right
module grid
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double), save :: field(n)
  integer(c_long), save :: counter = 0
  integer(c_long), save, volatile :: flag = 0
end module

program classic
  use shmem
  use grid
  implicit none
  integer, parameter :: rounds = 3
  character(32) :: name, form
  real(c_double), save :: source(n)
  real(c_double), pointer :: block(:)
  integer :: me, last, round
  logical :: right

  call get_command_argument(1, name)
  call get_command_argument(2, form)
  right = form == 'right'
  call shmem_init()
  me = shmem_my_pe()
  last = shmem_n_pes() - 1
  call c_f_pointer(shmem_malloc(int(8 * n, c_size_t)), block, [n])
  do round = 1, rounds
    select case (name)
    case ('nofence')
      call nofence()
    case ('heap')
      call heap()
    case ('copy')
      call copy()
    case ('getnbi')
      call getnbi()
    case ('nonatomic')
      call nonatomic()
    case default
      call shmem_global_exit(2)
    end select
    call shmem_barrier_all()
  end do
  if (me == 0) print '(a)', 'done'
  call shmem_free(c_loc(block))
  call shmem_finalize()

contains

  ! A put, then a flag: a fence orders them.
  subroutine nofence()
    if (me == 0) then
      call shmem_put(field, source, n, last)
      if (right) call shmem_fence()
      call shmem_atomic_set(flag, int(round, c_long), last)
    else if (me == last) then
      call shmem_wait_until(flag, SHMEM_CMP_GE, int(round, c_long))
      source(1) = field(n)
    end if
  end subroutine

  ! A put into a block of the heap, which its PE reads after a sync; a sync completes no puts.
  subroutine heap()
    if (me == 0) call shmem_double_put(block, source, int(n, c_size_t), last)
    if (me == 0 .and. right) call shmem_quiet()
    call shmem_sync_all()
    if (me == last) source(1) = sum(block)
  end subroutine

  ! A whole array is assigned while a non-blocking put reads it.
  subroutine copy()
    if (me == 0) then
      call shmem_put_nbi(field, source, n, last)
      if (right) call shmem_quiet()
      source = block
    end if
  end subroutine

  ! The dest of a non-blocking get is valid after a quiet.
  subroutine getnbi()
    if (me == 0) then
      call shmem_get_nbi(field, source, n, last)
      if (right) call shmem_quiet()
      field(2) = field(2) + 1
    end if
  end subroutine

  ! A counter that is changed by a get and a put.
  subroutine nonatomic()
    if (right) then
      call shmem_atomic_inc(counter, 0)
    else
      call shmem_p(counter, shmem_g(counter, 0) + 1_c_long, 0)
    end if
  end subroutine
end program
