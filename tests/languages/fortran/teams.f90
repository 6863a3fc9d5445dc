! Teams: split by stride, in two dimensions, compared, translated, used.
program teams
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  type(shmem_team_t) :: even, row, column
  type(shmem_team_config_t) :: config
  integer, save :: mine, sum
  integer :: me, n

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  mine = me + 1
  config%num_contexts = 2
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, config, SHMEM_TEAM_NUM_CONTEXTS, even) /= 0) &
    error stop "split_strided"
  if ((even == SHMEM_TEAM_INVALID) .neqv. (mod(me, 2) == 1)) error stop "who is a member"
  if (even /= SHMEM_TEAM_INVALID) then
    config%num_contexts = 0
    if (shmem_team_get_config(even, SHMEM_TEAM_NUM_CONTEXTS, config) /= 0) error stop "get_config"
    if (config%num_contexts /= 2) error stop "num_contexts"
    if (shmem_team_my_pe(even) /= me / 2 .or. shmem_team_n_pes(even) /= (n + 1) / 2) error stop "numbers"
    if (shmem_team_translate_pe(even, me / 2, SHMEM_TEAM_WORLD) /= me) error stop "translate_pe"
    if (shmem_sum_reduce(even, sum, mine, 1) /= 0) error stop "reduction"
    if (sum /= ((n + 1) / 2)**2) error stop "sum of odd numbers"
  end if
  call shmem_team_destroy(even)
  if (shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, xaxis_mask=0, xaxis_team=row, yaxis_mask=0, yaxis_team=column) /= 0) &
    error stop "split_2d"
  if (shmem_team_my_pe(row) /= mod(me, 2) .or. shmem_team_my_pe(column) /= me / 2) error stop "rows and columns"
  call shmem_team_destroy(row)
  call shmem_team_destroy(column)
  call shmem_finalize()
end program
