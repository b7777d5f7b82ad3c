# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# The packages of Open MPI and MPICH that Debian 12 has for arm64, stripped, with all that they depend
# on, as the root folder of such a machine. About a minute.

architecture=arm64
binary_packages=(libc6-dev libmpich-dev libomp-14-dev libopenmpi-dev openmpi-bin)
packages=(gcc-aarch64-linux-gnu qemu-user)
shared=(foreign.bash)
. "$here/foreign.bash"
