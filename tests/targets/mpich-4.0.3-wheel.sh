# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# MPICH 4.0.3 as PyPI has it: device ch4 with network modules ucx and ofi, stripped. A few seconds.

. "$here/wheel.bash"
wheel=mpich==4.0.3
