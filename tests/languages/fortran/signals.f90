! A ring of puts with signals.
program signals
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  integer(c_int64_t), save :: here = 0
  real(c_double), save :: x(100)
  integer :: me, n, turn

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  do turn = 1, 10
    call shmem_put_signal(x, spread(real(me + turn, c_double), 1, 100), 100, here, 1, SHMEM_SIGNAL_OP_ADD, mod(me + 1, n))
    if (shmem_signal_wait_until(here, SHMEM_CMP_GE, turn) < turn) error stop "woken too early"
    if (any(nint(x) /= modulo(me - 1, n) + turn)) error stop "the data is not there"
    call shmem_barrier_all()
  end do
  if (shmem_signal_fetch(here) /= 10) error stop "fetch"
  call shmem_barrier_all()
  call shmem_signal_set(here, 7_c_int64_t, mod(me + 1, n))
  call shmem_put_signal_nbi(x, x, 0_c_size_t, here, 1_c_int64_t, SHMEM_SIGNAL_OP_ADD, mod(me + 1, n))
  call shmem_barrier_all()
  if (shmem_signal_fetch(here) /= 8) error stop "set, then add"
  call shmem_finalize()
end program
