! SPDX-License-Identifier: BSD-3-Clause
! Four ranks that wait for each other in procedures of a module, outside of one, and in the program.
! Each says on its standard output how its procedure is to be called: "RANK LINE NAME".
module halo
  use mpi
  implicit none
  integer :: my_rank, next
contains
  subroutine say(line, name)
    integer, intent(in) :: line
    character(*), intent(in) :: name
    print '(i0, 1x, i0, 1x, a)', my_rank, line, name
    flush (6)
  end subroutine

  subroutine exchange()
    integer :: value, ierror
    call say(__LINE__ + 1, "halo::exchange")
    call MPI_Recv(value, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine

  subroutine share()
    use omp_lib
    integer :: value, ierror
    !$omp parallel num_threads(2) private(value, ierror)
    if (omp_get_thread_num() == 1) then
      call say(__LINE__ + 1, "halo::share")
      call MPI_Recv(value, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
    !$omp end parallel
  end subroutine
end module

subroutine outer()
  use halo
  implicit none
  integer :: value, ierror
  call say(__LINE__ + 1, "outer")
  call MPI_Recv(value, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
end subroutine

program names
  use halo
  implicit none
  integer :: ranks, given, ierror
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, given, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, my_rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(my_rank + 1, ranks)
  select case (my_rank)
  case (0)
    call exchange()
  case (1)
    call outer()
  case (2)
    call inside()
  case default
    call share()
  end select
  call MPI_Finalize(ierror)
contains
  subroutine inside()
    integer :: value
    call say(__LINE__ + 1, "inside")
    call MPI_Recv(value, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine
end program
