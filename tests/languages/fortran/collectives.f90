! Collectives over all PEs, each compared with its definition.
program collectives
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  integer, parameter :: n = 5, most = 8
  real(c_double), save :: x(n), y(n), every(n * most), blocks(n * most)
  complex(c_double_complex), save :: z(n), w(n)
  integer(c_int), save :: k(n), m(n), ranks(most * most)
  logical, save :: yes(n), no(n)
  integer :: me, pes, i, j

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  x = [(10 * me + i, i=1, n)]
  z = cmplx(x, -x, c_double_complex)
  k = [(10 * me + i, i=1, n)]
  yes = me == pes - 1
  call shmem_barrier_all()

  if (shmem_broadcast(SHMEM_TEAM_WORLD, y, x, n, pes - 1) /= 0) error stop "broadcast"
  if (any(nint(y) /= [(10 * (pes - 1) + i, i=1, n)])) error stop "broadcast brings something else"
  if (shmem_broadcast(SHMEM_TEAM_WORLD, w, z, n, pes - 1) /= 0) error stop "broadcast, complex"
  if (any(w /= cmplx(y, -y, c_double_complex))) error stop "broadcast brings another complex"
  if (shmem_broadcast(SHMEM_TEAM_WORLD, no, yes, n, pes - 1) /= 0) error stop "broadcast, logical"
  if (.not. all(no)) error stop "broadcast brings another logical"

  if (shmem_sum_reduce(SHMEM_TEAM_WORLD, y, x, n) /= 0) error stop "sum"
  if (any(nint(y) /= [(10 * pes * (pes - 1) / 2 + pes * i, i=1, n)])) error stop "sum is wrong"
  if (shmem_sum_reduce(SHMEM_TEAM_WORLD, w, z, n) /= 0) error stop "complex sum"
  if (any(w /= cmplx(y, -y, c_double_complex))) error stop "complex sum is wrong"
  if (shmem_max_reduce(SHMEM_TEAM_WORLD, m, k, int(n, c_size_t)) /= 0) error stop "max"
  if (any(m /= [(10 * (pes - 1) + i, i=1, n)])) error stop "max is wrong"
  if (shmem_xor_reduce(SHMEM_TEAM_WORLD, m, k, n) /= 0) error stop "xor"
  do i = 1, n
    j = 0
    do me = 0, pes - 1
      j = ieor(j, 10 * me + i)
    end do
    if (m(i) /= j) error stop "xor is wrong"
  end do
  me = shmem_my_pe()
  if (shmem_sum_inscan(SHMEM_TEAM_WORLD, m, k, n) /= 0) error stop "inscan"
  if (any(m /= [(10 * me * (me + 1) / 2 + (me + 1) * i, i=1, n)])) error stop "inscan is wrong"

  if (shmem_fcollect(SHMEM_TEAM_WORLD, every, x, n) /= 0) error stop "fcollect"
  if (any(nint(every(:n * pes)) /= [((10 * j + i, i=1, n), j=0, pes - 1)])) error stop "fcollect is wrong"
  if (shmem_collect(SHMEM_TEAM_WORLD, ranks, k, me + 1) /= 0) error stop "collect"
  if (any(ranks(:pes * (pes + 1) / 2) /= [((10 * j + i, i=1, j + 1), j=0, pes - 1)])) error stop "collect is wrong"
  blocks = [((1000 * me + 10 * j + i, i=1, n), j=0, most - 1)]
  call shmem_barrier_all()
  if (shmem_alltoall(SHMEM_TEAM_WORLD, every, blocks, n) /= 0) error stop "alltoall"
  if (any(nint(every(:n * pes)) /= [((1000 * j + 10 * me + i, i=1, n), j=0, pes - 1)])) error stop "alltoall is wrong"
  if (shmem_sync(SHMEM_TEAM_WORLD) /= 0) error stop "sync"
  call shmem_sync_all()
  call shmem_finalize()
end program
