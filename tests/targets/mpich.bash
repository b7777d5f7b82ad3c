# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What the recipes of MPICH 4.0 have in common. They set `options`, what configure gets besides.

source_package=mpich
reference_package=libmpich12
packages=(dpkg-dev gcc make libhwloc-dev libucx-dev python3)
compiler=gcc
shared=(mpich.bash)

unpack() {
    tar -xf "$1"/mpich_*.orig.tar.* --strip-components=1
}

build() {
    ./configure --prefix="$1" "${options[@]}" \
        --enable-shared --disable-static --disable-fortran --disable-cxx --disable-romio \
        --with-hwloc=/usr --with-pm=hydra --without-cuda --without-ze --without-hip \
        CFLAGS="-g -O2 -ffile-prefix-map=$PWD=/usr/src/mpich-4.0.2"
    make -j"${MQS_OMPD_JOBS:-$(nproc)}"
    make install DESTDIR="$2"
    # The name in Debian's package: programs built with its mpicc run on this build too.
    ln -s libmpi.so.12 "$2$1/lib/libmpich.so.12"
}
