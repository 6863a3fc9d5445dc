! Locks that are default integers: PEs take turns, more often than 16 bits can count.
program old_lock
  implicit none
  include 'shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes, shmem_test_lock
  integer, save :: lock = 0, beside = 99, counter = 0
  integer :: i, seen

  call shmem_init()
  if (shmem_my_pe() == 0) then
    do i = 1, 65530
      call shmem_set_lock(lock)
      call shmem_clear_lock(lock)
    end do
  end if
  call shmem_barrier_all()
  do i = 1, 10
    do while (shmem_test_lock(lock) /= 0)
    end do
    call shmem_integer_get(seen, counter, 1, 0)
    call shmem_integer_put(counter, seen + 1, 1, 0)
    call shmem_clear_lock(lock)
  end do
  call shmem_barrier_all()
  if (shmem_my_pe() == 0 .and. counter /= 10 * shmem_n_pes()) stop 1
  if (beside /= 99) stop 2
  call shmem_finalize()
end program
