! Every PE waits for ever. The run-time library of gfortran has handlers of SIGQUIT, SIGXCPU and others, which must not
! hide that.
program deadlock
  use shmem
  implicit none
  integer, save :: flag = 0
  call shmem_init()
  call shmem_barrier_all()
  call shmem_wait_until(flag, SHMEM_CMP_EQ, 1)
  call shmem_finalize()
end program
