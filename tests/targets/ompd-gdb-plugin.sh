# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# LLVM's OMPD commands for gdb, 16 and 19, as Debian 12 has them. A few seconds, 1 MB.

binary_packages=(libomp-16-dev libomp-19-dev)

unpack() {
    unpack_binaries "$1"
}

build() {
    local release
    for release in 16 19; do
        mkdir -p "$2$1/$release"
        cp -r usr/lib/llvm-$release/share/gdb/python/ompd "$2$1/$release"
    done
}
