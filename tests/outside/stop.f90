! SPDX-License-Identifier: BSD-3-Clause
! How a Fortran program ends.
subroutine stop() bind(c)
    stop 1
end subroutine
