# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# MPICH 4.0.2, device ch3, with its own support for debuggers. About six minutes on two cores, 33 MB.

. "$here/mpich.bash"
options=(--with-device=ch3 --enable-debuginfo)
