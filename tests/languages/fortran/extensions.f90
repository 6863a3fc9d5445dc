! Module shmemx: irregular teams and collectives, non-blocking ones, a graph, the heap, performance variables.
program extensions
  use, intrinsic :: iso_c_binding
  use shmem
  use shmemx
  implicit none
  integer, parameter :: most = 8
  type(shmem_team_t) :: backwards
  type(shmemx_request_t) :: request
  type(shmemx_graph_t) :: graph
  type(shmemx_heap_info_t) :: heap
  type(shmemx_ct_t) :: counter
  character(len=32) :: variable
  real(c_double), save :: total = 0
  integer(c_int), save :: x(most), y(most)
  integer(c_size_t) :: ones(most), places(most)
  integer(c_int), save :: matrix(3, 4), field(4, 5), row(4)
  type(c_ptr) :: table
  integer :: me, n, i

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  x = [(10 * me + i, i=0, most - 1)]
  ones = 1
  places = [(int(i, c_size_t), i=0, most - 1)]
  if (shmemx_team_create_from_list([(i, i=n - 1, 0, -1)], n, backwards) /= 0) error stop "no team"
  if (shmem_team_my_pe(backwards) /= n - 1 - me) error stop "not backwards"
  if (shmemx_alltoallv(backwards, y, ones, places, x, ones, places) /= 0) error stop "alltoallv"
  if (any(y(:n) /= [(10 * (n - 1 - i) + n - 1 - me, i=0, n - 1)])) error stop "alltoallv is wrong"
  if (shmemx_team_barrier(backwards) /= 0) error stop "team_barrier"
  if (shmemx_sum_reduce_nb(backwards, y, x, most, request) /= 0) error stop "reduce_nb"
  call shmemx_coll_wait(request)
  if (any(y /= [(10 * n * (n - 1) / 2 + n * i, i=0, most - 1)])) error stop "reduce_nb is wrong"
  table = shmemx_team_malloc(backwards, 100_c_size_t)
  if (.not. c_associated(table)) error stop "team_malloc"
  call shmemx_team_free(backwards, table)
  if (.not. c_associated(shmemx_team_calloc(backwards, 10_c_size_t, 8_c_size_t))) error stop "team_calloc"
  call shmem_team_destroy(backwards)

  if (shmemx_graph_create(SHMEM_TEAM_WORLD, [shmemx_edge_t(modulo(me - 1, n), 2, 1)], 1, &
                          [shmemx_edge_t(mod(me + 1, n), 2, 0)], 1, 4, 1, graph) /= 0) error stop "graph"
  call shmem_barrier_all()
  call shmem_put_nbi(y(most:), x(most:), 1, mod(me + 1, n))
  call shmemx_quiet_local()
  call shmemx_ctx_quiet_local(SHMEM_CTX_DEFAULT)
  x(most) = 0
  call shmem_barrier_all()
  if (y(most) /= 10 * modulo(me - 1, n) + most - 1) error stop "quiet_local"
  call shmemx_graph_start(graph, y, x)
  call shmemx_graph_wait(graph)
  if (any(y(2:3) /= 10 * modulo(me - 1, n) + [0, 1])) error stop "graph is wrong"
  call shmemx_graph_destroy(graph)
  call shmem_barrier_all()
  call shmemx_iput_nbi(y, x, 2, 1, 3, mod(me + 1, n))
  call shmemx_double_atomic_add(total, 0.5_c_double, 0)
  call shmem_barrier_all()
  if (any(y([1, 3, 5]) /= [(10 * modulo(me - 1, n) + i, i=0, 2)])) error stop "iput_nbi"
  call shmemx_ibget_nbi(y, x, 2, 2, 2, 1, mod(me + 1, n))
  call shmem_quiet()
  if (any(y(:2) /= 10 * mod(me + 1, n) + [0, 1])) error stop "ibget_nbi"
  if (me == 0 .and. shmem_atomic_fetch(total, 0) < n / 2.0_c_double) error stop "atomic_add"
  call shmem_barrier_all()
  call shmemx_ct_create(counter)
  call shmemx_putmem_ct(counter, y, x, 4, mod(me + 1, n))
  call shmemx_ct_wait(counter, 1)
  if (y(1) /= 10 * modulo(me - 1, n) .or. shmemx_ct_get(counter) /= 1) error stop "counter"
  call shmemx_ct_free(counter)
  call shmemx_pvar_get_name(SHMEMX_PVAR_PUT_BYTES, variable)
  if (variable /= "put.bytes" .or. shmemx_pvar_start() /= 0) error stop "pvar_start"
  call shmem_put(y, x, 4, me)
  call shmemx_pvar_stop()
  if (shmemx_pvar_read(SHMEMX_PVAR_PUT_BYTES, me) /= 4 * storage_size(x) / 8) error stop "pvar_read"
  matrix = reshape([(100 * me + i, i=1, 12)], [3, 4])
  field = 0
  call shmem_barrier_all()
  call shmemx_subarray_put(field, [4, 5], [2, 1], matrix, [3, 4], [1, 3], [2, 2], 4, mod(me + 1, n))
  call shmemx_subarray_put_nbi(field, [4, 5], [1, 5], matrix, [3, 4], [3, 4], [1, 1], 4, mod(me + 1, n), SHMEM_CTX_DEFAULT)
  call shmem_barrier_all()
  if (any(field(2:3, 1:2) /= 100 * modulo(me - 1, n) + reshape([7, 8, 10, 11], [2, 2]))) error stop "subarray_put"
  if (field(1, 5) /= 100 * modulo(me - 1, n) + 12 .or. count(field /= 0) /= 5) error stop "subarray_put_nbi"
  call shmemx_subarray_get(row, [4], [1], matrix, [12], [5], [3], 4, mod(me + 1, n))
  call shmemx_subarray_get_nbi(row(4:), [1], [1], matrix, [12], [9], [1], 4, mod(me + 1, n))
  call shmem_quiet()
  if (any(row /= 100 * mod(me + 1, n) + [5, 6, 7, 9])) error stop "subarray_get"
  table = shmem_malloc_with_hints(100_c_size_t, SHMEMX_MALLOC_FAR + shmemx_malloc_numa_node(0))
  if (.not. c_associated(table)) error stop "malloc_with_hints"
  table = shmem_malloc_with_hints(100_c_size_t, SHMEMX_MALLOC_NO_BARRIER)
  if (.not. c_associated(table)) error stop "malloc without a barrier"
  call shmemx_free_no_barrier(table)
  if (shmemx_wtime() <= 0) error stop "wtime"
  if (shmemx_heap_info(heap, c_sizeof(heap)) /= 0 .or. heap%bytes == 0) error stop "heap_info"
  heap%bytes = 0
  heap%used = 77
  if (shmemx_heap_info(heap, c_sizeof(heap%bytes)) /= 0 .or. heap%bytes == 0 .or. heap%used /= 77) error stop "fewer members"
  call shmem_finalize()
end program
