! Exchange plans and FFTs from Fortran: a halo, lists of elements, transforms of complex and real numbers, a convolution.
program plans
  use, intrinsic :: iso_c_binding
  use shmem
  use oshen_exchange
  use oshen_fft
  implicit none
  type(oshen_arena_t) :: arena
  type(oshen_group_t) :: group
  integer :: me, n, left, right

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  left = modulo(me - 1, n)
  right = modulo(me + 1, n)
  call demand(oshen_arena_create(8000000_c_size_t, arena), "arena")
  call demand(oshen_group_create(arena, SHMEM_TEAM_WORLD, group), "group")
  call require(oshen_group_rank(group) == me .and. oshen_group_size(group) == n, "who")
  call halo()
  call ghosts()
  call elements()
  call cosines()
  call few_modes()
  call padded()
  call wave()
  call convolution()
  call line()
  call oshen_group_destroy(group)
  call oshen_arena_destroy(arena)
  if (me == 0) print '(a)', "all right"
  call shmem_finalize()

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a,i0,2a)', "PE ", me, ": ", what
    call shmem_global_exit(1)
  end subroutine

  subroutine demand(status, what)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: what
    call require(status == OSHEN_OK, what // ": " // oshen_status_text(status))
  end subroutine

  ! Columns to the right, a strided row to the left.
  subroutine halo()
    type(oshen_plan_t) :: plan
    type(oshen_message_t) :: sends(2), receives(2)
    type(oshen_need_t) :: need
    real(c_double) :: field(4, 6), came(7)
    integer :: i, j, peer
    field = reshape([((100 * me + 10 * j + i, i = 1, 4), j = 1, 6)], [4, 6])
    sends = [oshen_run(right, 4 * 4 + 1, 4, 8), oshen_block(left, 2, [3, 1, 1], [8, 0, 0], 8)]
    receives = [oshen_run(left, 1, 4, 8), oshen_run(right, 5, 3, 8)]
    call demand(oshen_plan_need(group, sends, receives, need, strategy="put_signal"), "need")
    call require(need%symmetric > 0 .or. n == 1, "bytes needed")
    call demand(oshen_plan_create(group, sends, receives, plan, strategy="put_signal"), "plan")
    call require(oshen_plan_strategy(plan) == "put_signal", "strategy")
    call oshen_plan_run(plan, field, came)
    call require(all(came(1:4) == [(100 * left + 50 + i, i = 1, 4)]), "column")
    call require(all(came(5:7) == [(100 * right + 10 * j + 2, j = 1, 5, 2)]), "row")
    came = -1
    call oshen_plan_start(plan, field, came)
    do
      peer = oshen_plan_wait_any(plan)
      if (peer < 0) exit
      call require(oshen_plan_has_arrived(plan, peer) /= 0, "has arrived")
    end do
    call oshen_plan_release(plan)
    call require(all(came(1:4) == [(100 * left + 50 + i, i = 1, 4)]), "column, in parts")
    call require(index(oshen_plan_describe(plan), "2 runs") > 0, "describe")
    call oshen_plan_destroy(plan)
    receives(1)%bytes = 16
    call require(oshen_plan_create(group, sends, receives, plan) == OSHEN_INVALID, "a box that does not fit")
    call require(oshen_plan_create(group, sends, receives, plan, strategy="no such") == OSHEN_INVALID, "no such strategy")
  end subroutine

  ! The ghost elements of a field on a ring of planes, which has edges along the other axes.
  subroutine ghosts()
    type(oshen_plan_t) :: plan
    integer(c_int) :: dims(3), low(3), part(3)
    integer(c_int), allocatable :: field(:, :, :)
    integer :: i, j, k, plane
    dims = 0
    call demand(oshen_grid_dims(n, [3, 2, 8], dims), "dims")
    call oshen_grid_box([3, 2, 8], dims, me, low, part)
    allocate (field(0:part(1) + 1, part(2), -1:part(3)), source=-1_c_int)
    do concurrent(i=1:part(1), j=1:part(2), k=0:part(3) - 1)
      field(i, j, k) = number(low(1) + i, low(2) + j, low(3) + k)
    end do
    call demand(oshen_halo_create(group, [3, 2, 8], dims, [1, 0, 1], [1, 0, 1], 4, plan, &
                                  periodic=[.false., .false., .true.], strategy="put_signal"), "halo plan")
    call oshen_plan_run(plan, field, field)
    call oshen_plan_destroy(plan)
    do k = -1, part(3)
      plane = modulo(low(3) + k, 8)
      do j = 1, part(2)
        do i = 0, part(1) + 1
          if (low(1) + i >= 1 .and. low(1) + i <= 3) then
            call require(field(i, j, k) == number(low(1) + i, low(2) + j, plane), "ghost")
          else
            call require(field(i, j, k) == -1, "beyond the edge")
          end if
        end do
      end do
    end do
    call require(oshen_halo_create(group, [3, 2, 8], [n + 1, 1, 1], [1, 0, 1], [1, 0, 1], 4, plan) == OSHEN_INVALID, "dims")
  end subroutine

  pure integer(c_int) function number(i, j, k)
    integer, intent(in) :: i, j, k
    number = int(i + 10 * j + 100 * k, c_int)
  end function

  subroutine elements()
    type(oshen_plan_t) :: plan
    integer(c_size_t), target :: places(3) = [4, 20, 12]
    integer(c_int) :: from(8), into(3)
    integer :: i
    from = [(10 * me + i, i = 1, 8)]
    call demand(oshen_plan_create(group, [oshen_run(right, 1, 3, 4)], [oshen_run(left, 1, 3, 4)], plan, &
      send_offsets=[c_loc(places)], strategy="auto", expected_runs=10), "lists")
    call oshen_plan_run(plan, from, into)
    call require(all(into == 10 * left + [2, 6, 4]), "elements anywhere")
    call oshen_plan_destroy(plan)
  end subroutine

  ! This PE's box of an array that is divided among all PEs.
  subroutine box_of(extent, box)
    integer(c_int), intent(in) :: extent(3)
    type(oshen_fft_box_t), intent(out) :: box
    integer(c_int) :: dims(3)
    dims = 0
    call demand(oshen_grid_dims(n, extent, dims), "grid")
    call require(product(dims) == n, "dims")
    call oshen_grid_box(extent, dims, me, box%low, box%size)
  end subroutine

  subroutine cosines()
    type(oshen_fft_attr_t) :: attr
    type(oshen_fft_t) :: fft
    real(c_double), allocatable :: x(:), y(:)
    attr%extent = [6, 5, 8]
    attr%kind = OSHEN_FFT_REAL_TO_REAL
    attr%along = OSHEN_FFT_DCT2
    call box_of(attr%extent, attr%in)
    attr%out = attr%in
    call demand(oshen_fft_create(group, attr, fft), "cosines")
    allocate (x(product(attr%in%size)), y(product(attr%in%size)))
    x = 1
    call oshen_fft_forward(fft, x, y, OSHEN_FFT_SCALE_NONE)
    if (all(attr%in%low == 0)) then
      call require(abs(y(1) - 8 * product(attr%extent)) < 1e-10, "their sum")
      y(1) = 0
    end if
    call require(all(abs(y) < 1e-10), "a constant has one cosine")
    call oshen_fft_destroy(fft)
  end subroutine

  ! Real rows that are padded to the length of their complex numbers, in place.
  subroutine padded()
    type(oshen_fft_attr_t) :: attr
    type(oshen_fft_t) :: fft
    type(oshen_fft_stats_t) :: stats
    real(c_double), allocatable :: x(:, :, :)
    integer(c_int) :: dims(3)
    attr%extent = [6, 5, 8]
    attr%kind = OSHEN_FFT_REAL
    attr%in_embed(1) = 8
    dims = [1, 1, n]
    call oshen_grid_box(attr%extent, dims, me, attr%in%low, attr%in%size)
    call oshen_grid_box([4, 5, 8], dims, me, attr%out%low, attr%out%size)
    call demand(oshen_fft_create(group, attr, fft), "padded rows")
    allocate (x(8, 5, attr%in%size(3)))
    x(:6, :, :) = 1
    x(7:, :, :) = 99
    call oshen_fft_forward(fft, x, x, OSHEN_FFT_SCALE_NONE)
    if (all(attr%in%low == 0) .and. size(x) > 0) call require(abs(x(1, 1, 1) - product(attr%extent)) < 1e-10, "their sum")
    call oshen_fft_backward(fft, x, x, OSHEN_FFT_SCALE_FULL)
    call require(all(abs(x(:6, :, :) - 1) < 1e-12), "padded and back")
    call oshen_fft_stats(fft, stats)
    call require(stats%runs == 2 .and. stats%transform_bytes >= 2 * 8 * 6 * 5 * attr%in%size(3), "statistics")
    call oshen_fft_destroy(fft)
  end subroutine

  ! A transform of real numbers, halved along the second axis.
  subroutine wave()
    type(oshen_fft_attr_t) :: attr
    type(oshen_fft_t) :: fft
    type(oshen_fft_need_t) :: need
    real(c_float), allocatable :: x(:, :, :), back(:, :, :)
    complex(c_float_complex), allocatable :: y(:, :, :)
    integer :: i, j, k
    attr%extent = [6, 8, 10]
    attr%kind = OSHEN_FFT_REAL
    attr%precision = OSHEN_FFT_FLOAT
    attr%halved_axis = 1
    call box_of(attr%extent, attr%in)
    call box_of([6, 5, 10], attr%out)
    call demand(oshen_fft_need(group, attr, need), "need")
    call require(need%symmetric > need%workspace, "bytes needed")
    call demand(oshen_fft_create(group, attr, fft, strategy="put_signal"), "wave")
    allocate (x(attr%in%size(1), attr%in%size(2), attr%in%size(3)), y(attr%out%size(1), attr%out%size(2), attr%out%size(3)))
    do j = 1, size(x, 2)
      x(:, j, :) = cos(2 * acos(-1.0) * 3 * (attr%in%low(2) + j - 1) / 8)
    end do
    allocate (back, mold=x)
    call oshen_fft_forward(fft, x, y, OSHEN_FFT_SCALE_SYMMETRIC)
    do k = 1, size(y, 3)
      do j = 1, size(y, 2)
        do i = 1, size(y, 1)
          call require(abs(y(i, j, k) - merge(sqrt(480.0) / 2, 0.0, all(attr%out%low + [i, j, k] == [1, 4, 1]))) < 1e-4, "wave")
        end do
      end do
    end do
    back = 0
    call oshen_fft_backward_start(fft, y, back, OSHEN_FFT_SCALE_SYMMETRIC)
    call oshen_fft_wait(fft)
    call require(all(abs(back - x) < 1e-5), "and back")
    call require(index(oshen_fft_describe(fft), "put_signal") > 0 .or. n == 1, "describe")
    call oshen_fft_destroy(fft)
  end subroutine

  ! The modes of the 2/3 rule: of a constant and the highest wave, the constant is kept.
  subroutine few_modes()
    type(oshen_fft_attr_t) :: attr
    type(oshen_fft_t) :: fft
    complex(c_double_complex), allocatable :: x(:, :, :), y(:, :, :)
    attr%extent = [6, 8, 10]
    attr%kept = [3, 5, 7]
    call box_of(attr%extent, attr%in)
    call box_of(attr%kept, attr%out)
    call demand(oshen_fft_create(group, attr, fft), "few modes")
    allocate (x(attr%in%size(1), attr%in%size(2), attr%in%size(3)), y(attr%out%size(1), attr%out%size(2), attr%out%size(3)))
    x = (1, 0)
    x(1 + modulo(attr%in%low(1), 2)::2, :, :) = (3, 0)
    x(2 - modulo(attr%in%low(1), 2)::2, :, :) = (-1, 0)
    call oshen_fft_forward(fft, x, y, OSHEN_FFT_SCALE_FULL)
    if (all(attr%out%low == 0) .and. size(y) > 0) then
      call require(abs(y(1, 1, 1) - 1) < 1e-12, "a kept mode")
      y(1, 1, 1) = 0
    end if
    call require(all(abs(y) < 1e-12), "the other modes")
    if (all(attr%out%low == 0) .and. size(y) > 0) y(1, 1, 1) = 1
    call oshen_fft_backward(fft, y, x, OSHEN_FFT_SCALE_NONE)
    call require(all(abs(x - 1) < 1e-12), "without the highest wave")
    call oshen_fft_destroy(fft)
  end subroutine

  subroutine convolution()
    type(oshen_fft_attr_t) :: attr
    type(oshen_fft_t) :: fft
    complex(c_double_complex), allocatable :: x(:), y(:)
    attr%extent = [4, 6, 8]
    attr%convolution = 1
    call box_of(attr%extent, attr%in)
    attr%out = attr%in
    call demand(oshen_fft_create(group, attr, fft), "convolution")
    allocate (x(product(attr%in%size)), y(product(attr%in%size)))
    x = (0, 3)
    call demand(oshen_fft_set_factors(fft, x), "factors")
    call oshen_fft_convolve(fft, x, y, OSHEN_FFT_SCALE_FULL)
    call require(all(abs(y + 9) < 1e-12), "convolved")
    call oshen_fft_destroy(fft)
  end subroutine

  ! A transform of one axis, whose spectrum is left transposed.
  subroutine line()
    type(oshen_fft_attr_t) :: attr
    type(oshen_fft_t) :: fft
    complex(c_double_complex), allocatable :: x(:), y(:)
    integer, parameter :: length = 15 * 14, number = 37
    integer :: i, place
    attr%extent = [length, 1, 1]
    attr%columns = oshen_fft_line(length, n, me, attr%in, attr%out)
    call require(attr%columns > 1 .and. modulo(length, attr%columns) == 0, "columns")
    attr%out = attr%in
    call demand(oshen_fft_create(group, attr, fft), "line")
    allocate (x(product(attr%in%size)), y(product(attr%in%size)))
    x = [(exp((0, 6.283185307179586d0) * modulo(number * (attr%in%low(1) + i - 1), length) / length), i = 1, size(x))]
    call oshen_fft_forward(fft, x, y, OSHEN_FFT_SCALE_FULL)
    do i = 1, size(y)
      place = attr%in%low(1) + i - 1
      call require(abs(y(i) - merge(1, 0, place / attr%columns + modulo(place, attr%columns) * (length / attr%columns) &
        == number)) < 1e-12, "a wave along one axis")
    end do
    call oshen_fft_destroy(fft)
  end subroutine
end program plans
