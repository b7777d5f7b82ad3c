# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# MPICH 4.0.2, device ch4:ucx, with its own support for debuggers. About nine minutes on two cores, 35 MB.

. "$here/mpich.bash"
options=(--with-device=ch4:ucx --with-ucx=/usr --with-datatype-engine=dataloop --enable-debuginfo)
