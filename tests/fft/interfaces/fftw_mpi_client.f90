! A Fortran program for FFTW-MPI: rank 0 prints the plan, which shows its library, and the sum of an array of ones.
program fftw_mpi_client
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  include 'fftw3-mpi.f03'
  integer(c_intptr_t), parameter :: nx = 8, ny = 6, nz = 4
  integer(c_intptr_t) :: room, mine, first
  integer :: rank, status
  type(c_ptr) :: plan, memory
  complex(c_double_complex), pointer :: x(:)
  call mpi_init(status)
  call mpi_comm_rank(mpi_comm_world, rank, status)
  call fftw_mpi_init()
  room = fftw_mpi_local_size_3d(nz, ny, nx, mpi_comm_world, mine, first)
  memory = fftw_alloc_complex(room)
  call c_f_pointer(memory, x, [room])
  x = 1
  plan = fftw_mpi_plan_dft_3d(nz, ny, nx, x, x, mpi_comm_world, fftw_forward, fftw_estimate)
  if (rank == 0) call fftw_print_plan(plan)
  call fftw_mpi_execute_dft(plan, x, x)
  if (rank == 0) print '(a, i0)', ' sum: ', nint(real(x(1)))
  call fftw_destroy_plan(plan)
  call fftw_free(memory)
  call mpi_finalize(status)
end program
