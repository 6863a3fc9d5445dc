! Contexts of the world and of a team, sessions, fence and quiet.
program contexts
  use, intrinsic :: iso_c_binding
  use shmem
  implicit none
  type(shmem_ctx_t) :: ctx, in_team
  type(shmem_team_t) :: team
  integer, save :: x(4) = -1, y = -1
  integer :: me, right

  call shmem_init()
  me = shmem_my_pe()
  right = mod(me + 1, shmem_n_pes())
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, ctx) /= 0 .or. ctx == SHMEM_CTX_INVALID) error stop "no context"
  call shmem_ctx_session_start(ctx, 0, config_mask=0)
  call shmem_put_nbi(ctx, x, [me, me, me, me], 4, right)
  call shmem_ctx_fence(ctx)
  call shmem_put(ctx, x(4), -me, 1, right)
  call shmem_ctx_session_stop(ctx)
  call shmem_ctx_quiet(ctx)
  call shmem_ctx_destroy(ctx)
  if (shmem_team_create_ctx(SHMEM_TEAM_WORLD, SHMEM_CTX_SERIALIZED, in_team) /= 0) error stop "no context of a team"
  if (shmem_ctx_get_team(in_team, team) /= 0 .or. team /= SHMEM_TEAM_WORLD) error stop "another team"
  call shmem_ctx_int_p(in_team, y, me, right)
  call shmem_ctx_quiet(in_team)
  if (shmem_g(in_team, y, right) /= me) error stop "g on a context"
  call shmem_ctx_destroy(in_team)
  call shmem_barrier_all()
  if (any(x(:3) /= modulo(me - 1, shmem_n_pes())) .or. x(4) /= -x(1) .or. y /= x(1)) error stop "not what was put"
  call shmem_finalize()
end program
