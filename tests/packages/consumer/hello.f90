program hello
  use shmem
  implicit none
  call shmem_init()
  if (shmem_my_pe() == 0) print '(i0, a, i0)', shmem_n_pes(), ' of ', shmem_n_pes()
  call shmem_finalize()
end program
