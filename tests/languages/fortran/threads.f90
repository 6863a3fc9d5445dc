! Initialisation with threads, the thread level provided, and the order of puts.
program threads
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  integer, save, volatile :: first = 0, second = 0
  integer :: me, n, provided, asked, right

  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, provided) /= 0) error stop 'shmem_init_thread'
  call shmem_query_thread(asked)
  if (provided /= SHMEM_THREAD_MULTIPLE .or. asked /= provided) error stop 'shmem_query_thread'
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)
  call shmem_p(first, me + 1, right)
  call shmem_fence()
  call shmem_p(second, 1, right)
  call shmem_wait_until(second, SHMEM_CMP_EQ, 1)
  if (first /= mod(me + n - 1, n) + 1) error stop 'shmem_fence'
  call shmem_finalize()
end program
