! SPDX-License-Identifier: BSD-3-Clause
! Four ranks with handles of mpi_f08 in variables, that wait for messages which never come. Rank 0 writes its
! process id into the file that is named.
program handles
   use mpi_f08
   use, intrinsic :: iso_c_binding, only: c_int
   implicit none
   interface
      function getpid() bind(c)
         import c_int
         integer(c_int) :: getpid
      end function
   end interface
   type(MPI_Comm) :: grid
   type(MPI_Datatype) :: face
   type(MPI_Request) :: requests(2)
   integer :: old_grid, rank, number
   double precision :: buffer(24)
   character(len=1000) :: path

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 2], [.true., .false.], .false., grid)
   call MPI_Comm_set_name(grid, "grid")
   call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, face)
   call MPI_Type_commit(face)
   call MPI_Irecv(buffer, 1, face, mod(rank + 1, 4), 7, grid, requests(1))
   requests(2) = MPI_REQUEST_NULL
   old_grid = grid%MPI_VAL
   number = 0
   if (rank == 0) then
      call get_command_argument(1, path)
      open (10, file=trim(path))
      write (10, '(i0)') getpid()
      close (10)
   end if
   call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
   call MPI_Finalize()
   print *, old_grid, number
end program
