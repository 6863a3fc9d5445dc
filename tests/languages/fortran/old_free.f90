! shmem.fh in free form: the families of the old interface, the heap with Cray pointers' addresses.
program old_free
  implicit none
  include 'shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes, my_pe, num_pes
  integer(4) :: shmem_int4_fadd, shmem_int4_cswap
  integer(8) :: shmem_int8_finc, address, was
  integer, save :: k(6), flag(1) = 0, psync(SHMEM_COLLECT_SYNC_SIZE), list(30)
  integer(4), save :: total = 0, owner = -1
  integer(8), save :: ticket = 0
  real, save :: x(6)
  character(len=5), save :: word
  character(len=SHMEM_MAX_NAME_LEN) :: name
  integer :: me, n, i, error, major, minor
  data psync /SHMEM_COLLECT_SYNC_SIZE*SHMEM_SYNC_VALUE/

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  if (my_pe() /= me .or. num_pes() /= n) stop 1
  if (.not. shmem_pe_accessible(n - 1) .or. .not. shmem_addr_accessible(k, n - 1)) stop 2
  if (shmem_ptr(total, me) == 0) stop 3
  call shmem_info_get_version(major, minor)
  call shmem_info_get_name(name)
  if (major /= 1 .or. minor /= 6 .or. name(:5) /= "Oshen") stop 4

  call shmem_integer_put(k, [(10 * me + i, i=1, 6)], 6, mod(me + 1, n))
  call shmem_real_iput(x, [1., 2., 3.] + real(me), 2, 1, 3, mod(me + 1, n))
  call shmem_character_put(word, repeat(achar(97 + me), 5), 5, mod(me + 1, n))
  if (me == 0) call shmem_integer_put(flag, [1], 1, n - 1)
  if (me == n - 1) call shmem_wait(flag(1), 0)
  call shmem_barrier_all()
  if (any(k /= [(10 * modulo(me - 1, n) + i, i=1, 6)])) stop 5
  if (any(nint(x(::2)) /= [1, 2, 3] + modulo(me - 1, n)) .or. any(x(2::2) /= 0)) stop 6
  if (word /= repeat(achar(97 + modulo(me - 1, n)), 5)) stop 7

  i = shmem_int4_fadd(total, int(me + 1, 4), int(0))
  call shmem_int4_add(total, 1_4, 0)
  was = shmem_int8_finc(ticket, 0)
  i = shmem_int4_cswap(owner, -1_4, int(me, 4), 0)
  call shmem_barrier_all()
  if (me == 0 .and. (total /= n * (n + 1) / 2 + n .or. ticket /= n .or. owner < 0)) stop 8
  if (was < 0 .or. was >= n) stop 9

  k = me
  if (storage_size(k) == 32) call shmem_fcollect4(list, k, 2, 0, 0, n, psync)
  if (storage_size(k) == 64) call shmem_fcollect8(list, k, 2, 0, 0, n, psync)
  if (any(list(:2 * n) /= [((i, i, error=1, 1), i=0, n - 1)])) stop 10
  call shpalloc(address, 100, error, 1)
  if (error /= 0 .or. address == 0) stop 11
  call shpclmove(address, 200, error, 1)
  if (error < 0) stop 12
  call shpdeallc(address, error, 1)
  call shpalloc(address, 0, error, 0)
  if (error /= -1) stop 13
  call shmem_finalize()
end program
