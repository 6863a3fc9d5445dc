! Waiting for one, any, some and all variables; locks.
program waits
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  integer(c_int), save :: flags(8) = 0, done = 0
  integer(c_long), save :: lock = 0
  integer, save :: counter = 0
  integer(c_size_t) :: found, indices(8)
  logical :: seen(0:7)
  integer :: me, right, i, status(8)

  call shmem_init()
  me = shmem_my_pe()
  right = mod(me + 1, shmem_n_pes())
  do i = 1, 8
    call shmem_atomic_set(flags(i), i, right)
  end do
  call shmem_wait_until(flags(8), SHMEM_CMP_EQ, 8)
  seen = .false.
  status = 0
  do i = 1, 4
    found = shmem_wait_until_any(flags, 8, status, SHMEM_CMP_GT, 0)
    if (seen(found)) error stop "any: twice"
    seen(found) = .true.
    status(found + 1) = 1
  end do
  found = shmem_wait_until_some(flags, 8_c_size_t, indices, cmp=SHMEM_CMP_GE, cmp_value=1)
  if (found < 1 .or. any(indices(:found) < 0 .or. indices(:found) > 7)) error stop "some"
  call shmem_wait_until_all(flags, 8, cmp=SHMEM_CMP_NE, cmp_value=0)
  call shmem_wait_until_all_vector(flags, 8, cmp=SHMEM_CMP_EQ, cmp_values=[1, 2, 3, 4, 5, 6, 7, 8])
  if (shmem_test_all(flags, 8, cmp=SHMEM_CMP_GT, cmp_value=0) /= 1) error stop "test_all"
  if (shmem_test(done, SHMEM_CMP_NE, 0) /= 0) error stop "test"

  do i = 1, 20
    call shmem_set_lock(lock)
    call shmem_p(counter, shmem_g(counter, 0) + 1, 0)
    call shmem_clear_lock(lock)
  end do
  call shmem_barrier_all()
  if (shmem_g(counter, 0) /= 20 * shmem_n_pes()) error stop "the lock let two in"
  call shmem_finalize()
end program
