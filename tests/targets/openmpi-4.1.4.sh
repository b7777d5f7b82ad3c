# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Open MPI 4.1 as Debian 12 has it, with debug information. About ten minutes on two cores, 50 MB.
# The PMLs ucx and cm are built too, but are chosen only by an explicit --mca pml NAME.

source_package=openmpi
reference_package=libopenmpi3
packages=(dpkg-dev gcc make libhwloc-dev libevent-dev libpmix-dev zlib1g-dev libucx-dev libfabric-dev)
compiler=gcc

unpack() {
    tar -xf "$1"/openmpi_*.orig.tar.* --strip-components=1
}

configure_options() {
    printf '%s\n' --enable-mpirun-prefix-by-default \
        --enable-mpi-fortran=no --disable-mpi-cxx --disable-oshmem --disable-io-romio \
        --disable-static --enable-mca-no-build=btl-uct,btl-openib,btl-usnic \
        --with-hwloc=external --with-libevent=external --with-pmix=external \
        --with-ucx --with-libfabric --without-verbs --without-psm --without-psm2 \
        --without-slurm --without-tm --without-sge
}

build() {
    local options
    mapfile -t options < <(configure_options)
    ./configure --prefix="$1" "${options[@]}" \
        CFLAGS="-g -O2 -ffile-prefix-map=$PWD=/usr/src/openmpi-4.1.4"
    make -j"${MQS_OMPD_JOBS:-$(nproc)}"
    make install DESTDIR="$2"
    # The same choice as in Debian's package: ob1 unless the user asks for another.
    printf '%s\n' 'btl_base_warn_component_unused = 0' 'mtl = ^ofi' 'btl = ^ofi' 'pml = ^ucx' \
        'osc = ^ucx,pt2pt' >>"$2$1/etc/openmpi-mca-params.conf"
}
