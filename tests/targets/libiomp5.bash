# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154 source-path=SCRIPTDIR
# What the recipes of Intel's OpenMP runtime, as PyPI has it, have in common: in the place of LLVM's
# and GNU's for programs of the distribution's compilers. A few seconds, 4 MB.

# shellcheck source=wheel.bash
. "$here/wheel.bash"
shared+=(libiomp5.bash)

build() {
    install -D -m 644 -t "$2$1/lib" lib/libiomp5.so lib/libiomp5_db.so
    [ ! -e lib/libiomp5.a ] || install -m 644 -t "$2$1/lib" lib/libiomp5.a
    ln -s libiomp5.so "$2$1/lib/libomp.so.5"
    ln -s libiomp5.so "$2$1/lib/libgomp.so.1"
}
