# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Intel MPI 2021.18 as PyPI has it: no compiler's wrapper, no headers; programs of MPICH run on it.
# A few seconds.

. "$here/wheel.bash"
wheel=impi-rt==2021.18.1

trim() {
    rm -rf bin/IMB-* lib/*_abi.so* lib/libmpifort* lib/libmpcp* opt/mpi/tune_fast \
        lib/libmpi.so lib/libmpi.so.12.*
}
