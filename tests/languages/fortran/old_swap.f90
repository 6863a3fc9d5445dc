! shmem.fh: SHMEM_SWAP, whose integers have the default kind.
program old_swap
  implicit none
  include 'shmem.fh'
  integer, save :: word = 7
  integer :: shmem_my_pe, shmem_n_pes, shmem_swap, old, next
  call shmem_init()
  next = mod(shmem_my_pe() + 1, shmem_n_pes())
  call shmem_barrier_all()
  old = shmem_swap(word, 42, next)
  call shmem_barrier_all()
  if (old /= 7 .or. word /= 42) stop 1
  call shmem_finalize()
end program
