# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# LLVM's OpenMP runtime 16 and its libompd as Debian 12 has them, stripped: a drop-in for programs
# linked with Debian's libomp.so.5. A few seconds, 1.3 MB.

binary_packages=(libomp5-16 libomp-16-dev)

unpack() {
    unpack_binaries "$1"
}

build() {
    install -D -m 644 -t "$2$1/lib" usr/lib/llvm-16/lib/libomp.so.5 usr/lib/llvm-16/lib/libompd.so
}
