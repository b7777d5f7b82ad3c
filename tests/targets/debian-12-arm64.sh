# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# The packages of Open MPI that Debian 12 has for arm64, stripped, with all that they depend on, as
# the root folder of such a machine. About a minute.

architecture=arm64
binary_packages=(libc6-dev libopenmpi-dev openmpi-bin)
packages=(gcc-aarch64-linux-gnu qemu-user)

unpack() {
    mkdir -p usr/bin usr/lib usr/sbin
    ln -s usr/bin usr/lib usr/sbin .
    unpack_binaries "$1"
}

build() {
    mkdir -p "$2$1"
    rm -rf usr/share/{doc,man,locale}
    mv bin etc lib sbin usr "$2$1/"
}
