! Memory of the symmetric heap as Fortran arrays, and the address of a neighbour's array.
program allocate_test
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  integer, parameter :: n = 1000
  type(c_ptr) :: block
  real(c_double), pointer :: x(:, :), near(:, :)
  character(len=64) :: name
  integer :: me, major, minor

  call shmem_init()
  me = shmem_my_pe()
  block = shmem_malloc(8_c_size_t * n)
  if (.not. c_associated(block)) error stop "no memory"
  call c_f_pointer(block, x, [10, n / 10])
  x = me
  call shmem_barrier_all()
  call c_f_pointer(shmem_ptr(x, mod(me + 1, shmem_n_pes())), near, [10, n / 10])
  if (any(nint(near) /= mod(me + 1, shmem_n_pes()))) error stop "shmem_ptr leads elsewhere"
  if (shmem_addr_accessible(x, 0) /= 1 .or. shmem_pe_accessible(0) /= 1) error stop "not accessible"
  call shmem_barrier_all()
  block = shmem_realloc(block, 16 * n)
  call c_f_pointer(block, x, [10, n / 5])
  if (any(nint(x(:, :n / 10)) /= me)) error stop "realloc lost the contents"
  call shmem_free(block)
  block = shmem_calloc(n, 8)
  call c_f_pointer(block, x, [10, n / 10])
  if (any(x /= 0)) error stop "calloc is not zero"
  call shmem_free(block)
  block = shmem_align(4096, 8 * n)
  if (mod(transfer(block, 0_c_intptr_t), 4096_c_intptr_t) /= 0) error stop "not aligned"
  call shmem_free(block)
  call shmem_info_get_version(major, minor)
  call shmem_info_get_name(name)
  if (major /= SHMEM_MAJOR_VERSION .or. minor /= SHMEM_MINOR_VERSION) error stop "version"
  if (name(:6) /= "Oshen " .or. name(64:) /= " ") error stop "name"
  call shmem_finalize()
end program
