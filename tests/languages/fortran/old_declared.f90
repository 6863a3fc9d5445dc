! A program for libraries whose shmem.fh declares the functions: oshfort --declare-functions.
program old_declared
  implicit none
  include 'shmem.fh'
  integer, save :: counter = 0
  integer(8), save :: wide = 0
  integer(8) :: was
  integer :: me, n, old
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  old = shmem_int4_finc(counter, 0)
  was = shmem_int8_fadd(wide, 2_8, mod(me + 1, n))
  call shmem_barrier_all()
  if (me == 0 .and. counter /= n) stop 1
  if (wide /= 2 .or. was /= 0 .or. old < 0 .or. num_pes() /= n) stop 2
  call shmem_finalize()
end program
