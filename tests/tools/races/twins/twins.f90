! Pairs of Fortran programs, as in twins.c.
! usage: twins NAME wrong|right     on 3 PEs
module twins
  use shmem
  use omp_lib, only: omp_get_thread_num
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64
  implicit none
  integer, parameter :: n = 64
  integer(int64), save, target :: field(n), source(n), flag, counter
  integer :: me, last
  logical :: right
contains

  ! case refill: source[*]: PE 0 needs a quiet between them
  subroutine refill()
    if (me /= 0) return
    source = 1
    call shmem_put_nbi(field, source, n, last)  ! races
    if (right) call shmem_quiet()
    source(5) = 2  ! races
    call shmem_quiet()
  end subroutine

  ! case reread_dest: field[*]: PE 0 needs a quiet between them
  subroutine reread_dest()
    if (me /= 0) return
    source(1) = sum(field)
    call shmem_get_nbi(field, source, n, last)  ! races
    if (right) call shmem_quiet()
    source(1) = sum(field)  ! races
    call shmem_quiet()
  end subroutine

  ! case refill_loop: source[*]: PE 0 needs a quiet between them
  subroutine refill_loop()
    integer :: i
    if (me /= 0) return
    do i = 1, 3
      source(4) = i                               ! races
      call shmem_put_nbi(field, source, n, last)  ! races
      if (right) call shmem_quiet()
    end do
    call shmem_quiet()
  end subroutine

  ! Private memory, which the threads of a PE share.

  ! case get_and_load threads: private memory of PE *: the threads need a lock or a barrier
  subroutine get_and_load()
    integer(int64) :: local(8)
    local = 1
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) call shmem_get(local, source, 8, last)  ! races
    if (right) then
      !$omp barrier
    end if
    if (omp_get_thread_num() == 1) call use(local(3))  ! races
    !$omp end parallel
  end subroutine

  ! case put_and_store threads: private memory of PE *: the threads need a lock or a barrier
  subroutine put_and_store()
    integer(int64), allocatable :: block(:)
    allocate (block(n))
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 0 .and. me == 0) call shmem_put(field, block, n, last)  ! races
    if (right) then
      !$omp barrier
    end if
    if (omp_get_thread_num() == 1) block(5) = 1  ! races
    !$omp end parallel
  end subroutine

  ! Parts of a region: sections and tasks, whichever thread runs them.

  subroutine send_and_tell()
    if (me /= 0) return
    call shmem_put(field, source, n, last)  ! races
    call shmem_fence()
    call shmem_atomic_set(flag, 1_int64, last)
  end subroutine

  ! case sections threads: field[0]: nothing orders them
  subroutine sections()
    call send_and_tell()
    if (me /= last) return
    !$omp parallel sections num_threads(2)
    !$omp section
    call shmem_wait_until(flag, SHMEM_CMP_EQ, 1_int64)
    if (right) call use(field(1))
    !$omp section
    if (.not. right) call use(field(1))  ! races
    !$omp end parallel sections
  end subroutine

  ! case locked_sections threads: field[0]: nothing orders them
  subroutine locked_sections()
    call send_and_tell()
    if (me /= last) return
    !$omp parallel sections num_threads(2)
    !$omp section
    !$omp critical
    call shmem_wait_until(flag, SHMEM_CMP_EQ, 1_int64)
    !$omp end critical
    !$omp section
    !$omp critical
    if (.not. right) call use(field(1))  ! races
    !$omp end critical
    !$omp end parallel sections
  end subroutine

  ! case tasks threads: field[0]: nothing orders them
  subroutine tasks()
    call send_and_tell()
    if (me /= last) return
    !$omp parallel num_threads(2)
    !$omp single
    !$omp task
    call shmem_wait_until(flag, SHMEM_CMP_EQ, 1_int64)
    !$omp end task
    if (right) then
      !$omp taskwait
    end if
    !$omp task
    call use(field(1))  ! races
    !$omp end task
    !$omp end single
    !$omp end parallel
  end subroutine

  ! Atomics that are not atomic with each other.

  ! case two_types: counter[0]: atomics of different types are not atomic with each other (OpenSHMEM, Memory Model
  subroutine two_types()
    integer(int32), pointer :: half
    call c_f_pointer(c_loc(counter), half)
    if (me == 0) call shmem_atomic_add(counter, 1_int64, last)  ! races
    if (me == 1 .and. right) call shmem_atomic_add(counter, 1_int64, last)
    if (me == 1 .and. .not. right) call shmem_atomic_add(half, 1_int32, last)  ! races
  end subroutine

  ! case wait_for_other_type: counter[0]: atomics of different types are not atomic with each other
  subroutine wait_for_other_type()
    integer(int32), pointer :: half
    call c_f_pointer(c_loc(counter), half)
    if (me == 0 .and. right) call shmem_atomic_set(counter, 1_int64, last)
    if (me == 0 .and. .not. right) call shmem_atomic_set(half, 1_int32, last)         ! races
    if (me == last) call shmem_wait_until(counter, SHMEM_CMP_EQ, 1_int64)  ! races
  end subroutine

  ! A fence or quiet of one thread, and another thread that tells.

  ! case quiet_and_set threads: field[4]: PE 0 needs to synchronise its threads|nothing orders them
  subroutine quiet_and_set()
    if (me == 0) then
      !$omp parallel num_threads(2)
      if (omp_get_thread_num() == 0) then
        call shmem_put(field, source, n, last)  ! races
        call shmem_quiet()
      end if
      if (right) then
        !$omp barrier
      end if
      if (omp_get_thread_num() == 1) call shmem_atomic_set(flag, 1_int64, last)
      !$omp end parallel
    end if
    if (me == last) then
      call shmem_wait_until(flag, SHMEM_CMP_EQ, 1_int64)
      call use(field(5))  ! races
    end if
  end subroutine

  ! Statements that access symmetric memory.

  subroutine begin_get()
    call shmem_get_nbi(field, source, n, last)  ! races
    if (right) call shmem_quiet()
  end subroutine

  ! case write_array: field[0]: PE 0 needs a quiet between them
  subroutine write_array()
    integer :: file
    if (me /= 0) return
    open (newunit=file, status="scratch", form="unformatted")
    call begin_get()
    write (file) field  ! races
    call shmem_quiet()
    close (file)
  end subroutine

  ! case write_section: field[2]: PE 0 needs a quiet between them
  subroutine write_section()
    integer :: file
    if (me /= 0) return
    open (newunit=file, status="scratch", form="unformatted")
    call begin_get()
    write (file) field(3:n:5)  ! races
    call shmem_quiet()
    close (file)
  end subroutine

  ! case print_number: field[6]: PE 0 needs a quiet between them
  subroutine print_number()
    character(40) :: text
    if (me /= 0) return
    call begin_get()
    write (text, *) field(7)  ! races
    call shmem_quiet()
  end subroutine

  ! case read_numbers: source[0]: PE 0 needs a quiet between them
  subroutine read_numbers()
    character(40) :: text = "5 6"
    if (me /= 0) return
    call shmem_put_nbi(field, source, n, last)  ! races
    if (right) call shmem_quiet()
    read (text, *) source(1), source(2)  ! races
    call shmem_quiet()
  end subroutine

  subroutine use(value)
    integer(int64), value :: value
    integer(int64), volatile :: mine
    mine = value
  end subroutine

end module

program run
  use twins
  implicit none
  character(40) :: name, form
  integer :: provided
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, provided) /= 0) error stop
  me = shmem_my_pe()
  last = shmem_n_pes() - 1
  call get_command_argument(1, name)
  call get_command_argument(2, form)
  right = form == "right"
  select case (name)
  case ("refill"); call refill()
  case ("reread_dest"); call reread_dest()
  case ("refill_loop"); call refill_loop()
  case ("get_and_load"); call get_and_load()
  case ("put_and_store"); call put_and_store()
  case ("sections"); call sections()
  case ("locked_sections"); call locked_sections()
  case ("tasks"); call tasks()
  case ("two_types"); call two_types()
  case ("wait_for_other_type"); call wait_for_other_type()
  case ("quiet_and_set"); call quiet_and_set()
  case ("write_array"); call write_array()
  case ("write_section"); call write_section()
  case ("print_number"); call print_number()
  case ("read_numbers"); call read_numbers()
  end select
  call shmem_barrier_all()
  if (me == 0) print "(a)", "done"
  call shmem_finalize()
end program
