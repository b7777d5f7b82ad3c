# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What mqs-ompd is built with, of Debian 12 for s390x, with all that it depends on, as the root folder
# of such a machine. Half a minute.

architecture=s390x
binary_packages=(check libc6-dev libdw-dev libexpat1-dev libiberty-dev libjansson-dev libseccomp-dev zlib1g-dev)
packages=(gcc-s390x-linux-gnu qemu-user)
shared=(foreign.bash)
. "$here/foreign.bash"
