# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What PyPI's wheels of UCX have in common: a drop-in for MPI libraries that were linked with
# another release of it. A recipe sets `wheel`. A few seconds, 12 MB. (Other than by a linker, these files
# cannot be stripped: patched as they are, the result does not load.)

shared=(ucx.bash)
python3 -m pip --version >/dev/null 2>&1 || packages=(python3 python3-pip)

unpack() {
    python3 -m zipfile -e "$1"/*.whl .
}

build() {
    install -D -m 644 -t "$2$1/lib" libucx/lib/libuc{m,p,s,t}.so.0
}
