# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# LLVM's OpenMP runtime 14 and its libompd, with debug information. About a minute, 6 MB.
# Debian's two patches make it a drop-in for programs linked with Debian's libomp.so.5.

source_package=llvm-toolchain-14
reference_package=libomp5-14
packages=(dpkg-dev cmake make clang-14 perl patch xz-utils)
compiler=clang-14

unpack() {
    tar -xf "$1"/llvm-toolchain-14_*.orig.tar.* --strip-components=1 --wildcards '*/openmp' '*/cmake'
    tar -xf "$1"/llvm-toolchain-14_*.debian.tar.* debian/patches
    patch -p1 <debian/patches/openmp-soname.diff
    patch -p1 <debian/patches/openmp/openmp-check-execstack.diff
}

build() {
    local flags="-g -O2 -ffile-prefix-map=$PWD=/usr/src/libomp-14"
    cmake -S openmp -B build -DCMAKE_INSTALL_PREFIX="$1" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 \
        -DCMAKE_C_FLAGS_RELWITHDEBINFO="$flags" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$flags" \
        -DOPENMP_ENABLE_LIBOMPTARGET=OFF -DLIBOMP_OMPD_SUPPORT=ON -DLIBOMP_OMPT_SUPPORT=ON
    make -C build -j"${MQS_OMPD_JOBS:-$(nproc)}"
    make -C build install DESTDIR="$2"
}
