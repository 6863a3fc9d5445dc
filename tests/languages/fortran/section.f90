! A row of a matrix is not contiguous, so that it cannot be an argument.
program section
  use shmem
  implicit none
  integer, save :: matrix(3, 4) = 0
  call shmem_init()
  call shmem_put(matrix(2, :), [1, 2, 3, 4], 4, 1)
  call shmem_finalize()
end program
