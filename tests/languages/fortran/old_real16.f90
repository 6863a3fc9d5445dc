! shmem.fh: reductions of REAL*16 over all PEs, in place too, and over an active set of every second PE.
program old_real16
  implicit none
  include 'shmem.fh'
  integer, parameter :: n = 5
  real(16), parameter :: third = 1 / 3.0_16
  integer, save :: psync(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE, again(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE
  real(16), save :: source(n), dest(n), pwrk(SHMEM_REDUCE_MIN_WRKDATA_SIZE)
  integer :: shmem_my_pe, shmem_n_pes, me, pes, i
  real(16) :: expected(n)

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  source = [((me + i) * third, i=1, n)]
  call shmem_real16_sum_to_all(dest, source, n, 0, 0, pes, pwrk, psync)
  expected = 0
  do i = 0, pes - 1
    expected = expected + [((i + me) * third, me=1, n)]
  end do
  me = shmem_my_pe()
  if (any(dest /= expected)) stop 1
  call shmem_real16_max_to_all(dest, source, n, 0, 0, pes, pwrk, again)
  if (any(dest /= [((pes - 1 + i) * third, i=1, n)])) stop 2
  call shmem_real16_min_to_all(dest, source, n, 0, 0, pes, pwrk, psync)
  if (any(dest /= [(i * third, i=1, n)])) stop 3
  source = 2
  call shmem_real16_prod_to_all(source, source, n, 0, 0, pes, pwrk, again) ! in place
  if (any(source /= 2.0_16**pes)) stop 4
  call shmem_barrier_all()
  dest = -1
  source = me + 1
  if (mod(me, 2) == 0) call shmem_real16_sum_to_all(dest, source, n, 0, 1, (pes + 1) / 2, pwrk, psync)
  if (mod(me, 2) == 0 .and. any(nint(dest) /= ((pes + 1) / 2)**2)) stop 5
  if (mod(me, 2) == 1 .and. any(nint(dest) /= -1)) stop 6
  call shmem_real16_sum_to_all(dest, source, 0, 0, 0, pes, pwrk, again)
  call shmem_finalize()
end program
