! The calls of oshprof_counts.c that Fortran codes use most, with the same counts.
module counts
  use mpi
  implicit none
  integer, parameter :: rounds = 10, sent = 100, posted = 1000
  double precision :: outgoing(posted), incoming(posted, 2)
  integer :: me, n, right, left, error

contains

  subroutine isend_irecv()
    integer :: requests(4), which, j, status(MPI_STATUS_SIZE)
    call MPI_Irecv(incoming(:, 1), posted, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(incoming(:, 2), posted, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), error)
    call MPI_Isend(outgoing, sent, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(3), error)
    call MPI_Isend(outgoing, sent, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(4), error)
    do j = 1, 4
      call MPI_Waitany(4, requests, which, status, error)
      if (which < 1 .or. which > 4) error stop 'MPI_Waitany'
      requests(which) = MPI_REQUEST_NULL
    end do
  end subroutine

  subroutine persistent()
    integer :: requests(2), j
    call MPI_Recv_init(incoming, posted, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Send_init(outgoing, sent, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, requests(2), error)
    do j = 1, rounds
      call MPI_Startall(2, requests, error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    end do
    do j = 1, 2
      call MPI_Request_free(requests(j), error)
    end do
  end subroutine

  subroutine collectives()
    integer :: status(MPI_STATUS_SIZE), got
    call MPI_Bcast(outgoing, sent, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(MPI_IN_PLACE, outgoing, sent, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    call MPI_Sendrecv(outgoing, sent, MPI_DOUBLE_PRECISION, right, 5, incoming, posted, MPI_DOUBLE_PRECISION, left, 5, &
                      MPI_COMM_WORLD, status, error)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, got, error)
    if (got /= sent .or. outgoing(1) /= 1) error stop 'MPI_Sendrecv'
  end subroutine

end module

program oshprof_counts
  use counts
  implicit none
  integer :: i

  outgoing = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, n, error)
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  do i = 1, rounds
    call isend_irecv()
    call collectives()
  end do
  call persistent()
  call MPI_Finalize(error)
end program
