! Atomics of every table: all PEs work on PE 0's variables.
program atomics
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  integer(c_int), save :: sum = 0, bits = 0, owner = -1
  integer(c_long), save :: ticket = 0, visits = 0, fetched
  real(c_double), save :: heat = 0
  integer :: me, n, i
  integer(c_long) :: mine

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  do i = 1, 10
    call shmem_atomic_add(sum, me + 1, 0)
    call shmem_atomic_inc(sum, 0)
  end do
  mine = shmem_atomic_fetch_add(ticket, 2_c_long, 0)
  call shmem_atomic_or(bits, ishft(1, me), 0)
  if (mod(mine, 2_c_long) /= 0) error stop "fetch_add"
  call shmem_atomic_fetch_inc_nbi(fetched, visits, 0)
  call shmem_quiet()
  i = shmem_atomic_compare_swap(owner, -1, me, 0)
  call shmem_atomic_set(heat, 2.5d0, 0)
  call shmem_barrier_all()
  if (shmem_atomic_fetch(sum, 0) /= 10 * (n * (n + 1) / 2 + n)) error stop "add, inc"
  if (shmem_atomic_fetch(ticket, 0) /= 2 * n .or. shmem_atomic_fetch(visits, 0) /= n) error stop "fetch_inc_nbi"
  if (shmem_atomic_fetch(bits, 0) /= 2**n - 1) error stop "or"
  if ((i == -1) .neqv. (shmem_atomic_fetch(owner, 0) == me)) error stop "compare_swap"
  call shmem_barrier_all()
  if (me == n - 1) then
    if (shmem_atomic_swap(heat, 1.5d0, 0) /= 2.5d0) error stop "set, swap"
    if (shmem_atomic_fetch_and(bits, 0, 0) /= 2**n - 1) error stop "fetch_and"
  end if
  call shmem_barrier_all()
  if (shmem_atomic_fetch(bits, 0) /= 0 .or. shmem_atomic_fetch(heat, 0) /= 1.5d0) error stop "after"
  call shmem_finalize()
end program
