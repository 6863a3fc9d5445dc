! Puts and gets of every type: scalars, whole arrays of several ranks, from an element on; numbers of both kinds.
module places
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 12
  integer(c_int8_t) :: tiny(n)
  integer(c_short) :: small(n)
  integer(c_int) :: whole(3, 4), one
  integer(c_long) :: long(n)
  real(c_float) :: single(2, 2, 3)
  real(c_double) :: double(n)
  real(c_long_double) :: extended(n)
  complex(c_float_complex) :: flat(n)
  complex(c_double_complex) :: deep(3, 4)
  logical :: truth(n)
  character(len=n) :: word
  ! A variable in a common block, as in old programs.
  real(c_double) :: shared(n)
  common /block/ shared
end module

program rma
  use shmem
  use places
  implicit none
  integer :: me, right, left, i
  integer(c_int) :: column(4)
  real(c_double), save :: saved(n)

  call shmem_init()
  me = shmem_my_pe()
  right = mod(me + 1, shmem_n_pes())
  left = mod(me - 1 + shmem_n_pes(), shmem_n_pes())

  call shmem_put(tiny, spread(int(me, c_int8_t), 1, n), n, right)
  call shmem_put(small, spread(int(me, c_short), 1, n), n, right)
  call shmem_put(whole, reshape([(100 * me + i, i=1, n)], [3, 4]), n, right)
  call shmem_put(long, spread(int(me, c_long), 1, n), int(n, c_size_t), right)
  call shmem_put(single, spread(real(me, c_float), 1, n), n, right)
  call shmem_put(double(3), spread(real(me, c_double), 1, n), n - 2, right)
  call shmem_put(extended, spread(real(me, c_long_double), 1, n), n, right)
  call shmem_put(flat, spread(cmplx(me, -me, c_float_complex), 1, n), n, right)
  call shmem_put(deep, spread(cmplx(me, -me, c_double_complex), 1, n), n, right)
  call shmem_put(truth, spread(mod(me, 2) == 0, 1, n), n, right)
  call shmem_put(word, repeat(achar(65 + me), n), n, right)
  call shmem_putmem(shared, spread(real(me, c_double), 1, n), 8 * n, right)
  call shmem_put64_nbi(saved, spread(real(me, c_double), 1, n), n, right)
  call shmem_int_p(one, me, right)
  call shmem_barrier_all()

  if (any(tiny /= left) .or. any(small /= left) .or. any(long /= left)) error stop "integers"
  if (any(reshape(whole, [n]) /= [(100 * left + i, i=1, n)]) .or. one /= left) error stop "default integers"
  if (any(nint(single) /= left) .or. any(nint(extended) /= left)) error stop "reals"
  if (any(nint(double(3:)) /= left) .or. any(double(:2) /= 0)) error stop "from an element on"
  if (any(flat /= cmplx(left, -left)) .or. any(deep /= cmplx(left, -left))) error stop "complex"
  if (any(truth .neqv. mod(left, 2) == 0)) error stop "logicals"
  if (word /= repeat(achar(65 + left), n)) error stop "characters"
  if (any(nint(shared) /= left) .or. any(nint(saved) /= left)) error stop "common, save"

  ! The second row of the neighbour's matrix, by strides; one element.
  call shmem_iget(column, whole(2, 1), 1, 3, 4, right)
  if (any(column /= 100 * me + [2, 5, 8, 11])) error stop "iget"
  if (shmem_g(whole(3, 4), right) /= 100 * me + 12) error stop "g"
  call shmem_get_nbi(column, whole, 4, right)
  call shmem_quiet()
  if (any(column /= 100 * me + [1, 2, 3, 4])) error stop "get_nbi"
  call shmem_barrier_all()
  call shmem_iput(whole, [-1, -2, -3, -4], 3, 1, 4, right)
  call shmem_barrier_all()
  if (any(whole(1, :) /= [-1, -2, -3, -4]) .or. any(whole(2:, :) < 0)) error stop "iput"
  call shmem_finalize()
end program
