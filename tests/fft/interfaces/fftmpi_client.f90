! A program in Fortran for the modules of fftMPI: 3-D and 2-D transforms of a wave, whose spectrum is one number, and back.
program fftmpi_client
  use, intrinsic :: iso_c_binding
  use fft3d_wrap
  use fft2d_wrap
  use remap3d_wrap
  use remap2d_wrap
  use mpi
  implicit none
  integer, parameter :: n = 8
  real(c_double), parameter :: turn = 2 * acos(-1.0_c_double) / n
  integer :: rank, ranks, error, lo, hi, fftsize, sendsize, recvsize, i, j, k
  complex(c_double_complex), allocatable, target :: work(:), copy(:)
  type(c_ptr) :: fft, moves

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  lo = n * rank / ranks + 1 ! counted from 1
  hi = n * (rank + 1) / ranks

  call fft3d_create(MPI_COMM_WORLD, 2, fft)
  call fft3d_set(fft, "scale" // c_null_char, 1)
  call fft3d_setup(fft, n, n, n, 1, n, 1, n, lo, hi, 1, n, 1, n, lo, hi, 0, fftsize, sendsize, recvsize)
  if (fftsize < n * n * (hi - lo + 1)) call failed("size")
  ! One period along the first axis, two along the second, three along the third.
  work = [(((exp(cmplx(0, turn * (i + 2 * j + 3 * k), c_double_complex)), i=0, n - 1), j=0, n - 1), k=lo - 1, hi - 1)]
  copy = work
  call fft3d_compute(fft, c_loc(work), c_loc(work), 1)
  if (lo <= 4 .and. hi >= 4) then ! plane 3
    i = 2 + 2 * n + (4 - lo) * n * n
    if (abs(work(i) - n**3) > 1e-9_c_double) call failed("the peak of 3-D")
    work(i) = work(i) - n**3
  end if
  if (any(abs(work) > 1e-9_c_double)) call failed("the rest of 3-D")
  work = copy
  call fft3d_compute(fft, c_loc(work), c_loc(work), 1)
  call fft3d_compute(fft, c_loc(work), c_loc(work), -1)
  if (any(abs(work - copy) > 1e-9_c_double)) call failed("back in 3-D")
  if (fft3d_get_int64(fft, "memusage" // c_null_char) <= 0) call failed("memusage")
  call fft3d_destroy(fft)

  call remap3d_create(MPI_COMM_WORLD, moves)
  call remap3d_setup(moves, 1, n, 1, n, lo, hi, 1, n, lo, hi, 1, n, 2, 0, 1, sendsize, recvsize)
  work = [(((cmplx(i + n * (j + n * k), 0, c_double_complex), i=0, n - 1), j=0, n - 1), k=lo - 1, hi - 1)]
  call remap3d_remap(moves, c_loc(work), c_loc(work), c_null_ptr, c_null_ptr)
  copy = [(((cmplx(i + n * (j + n * k), 0, c_double_complex), i=0, n - 1), j=lo - 1, hi - 1), k=0, n - 1)]
  if (any(work /= copy)) call failed("remap3d")
  call remap3d_destroy(moves)

  call fft2d_create(MPI_COMM_WORLD, 2, fft)
  call fft2d_setup(fft, n, n, 1, n, lo, hi, 1, n, lo, hi, 0, fftsize, sendsize, recvsize)
  work = [((exp(cmplx(0, turn * (i + 2 * j), c_double_complex)), i=0, n - 1), j=lo - 1, hi - 1)]
  call fft2d_compute(fft, c_loc(work), c_loc(work), 1)
  if (lo <= 3 .and. hi >= 3) work(2 + (3 - lo) * n) = work(2 + (3 - lo) * n) - n**2
  if (any(abs(work) > 1e-9_c_double)) call failed("2-D")
  call fft2d_destroy(fft)

  call remap2d_create(MPI_COMM_WORLD, moves)
  call remap2d_setup(moves, 1, n, lo, hi, lo, hi, 1, n, 2, 1, 1, sendsize, recvsize)
  work = [((cmplx(i + n * j, 0, c_double_complex), i=0, n - 1), j=lo - 1, hi - 1)]
  call remap2d_remap(moves, c_loc(work), c_loc(work), c_null_ptr, c_null_ptr)
  copy = [((cmplx(i + n * j, 0, c_double_complex), j=0, n - 1), i=lo - 1, hi - 1)]
  if (any(work /= copy)) call failed("remap2d")
  call remap2d_destroy(moves)
  call MPI_Finalize(error)
  if (rank == 0) print '(a)', "all right"

contains

  subroutine failed(what)
    character(len=*) :: what
    print '(3a, i0)', "wrong: ", what, " on rank ", rank
    call MPI_Abort(MPI_COMM_WORLD, 3, error)
  end subroutine
end program
