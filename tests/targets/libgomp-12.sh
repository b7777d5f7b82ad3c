# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# GNU's OpenMP runtime of gcc 12 alone, with debug information. Half a minute, 1.5 MB.
# Programs of the distribution's gcc run on it by LD_LIBRARY_PATH.

source_package=gcc-12
reference_package=libgomp1
packages=(dpkg-dev gcc make xz-utils)
compiler=gcc

# The orig tarball holds tarballs; of the compiler's, only what libgomp's build looks at.
unpack() {
    tar -xzf "$1"/gcc-12_*.orig.tar.gz --strip-components=1 --wildcards '*/gcc-*-dfsg.tar.xz'
    tar -xJf gcc-*-dfsg.tar.xz --strip-components=1 --wildcards '*/libgomp' '*/config' \
        '*/include' '*/libgcc/gthr*' '*/gcc/BASE-VER' '*/gcc/DATESTAMP' '*/gcc/DEV-PHASE' \
        '*/multilib.am' '*/config-ml.in' '*/config.guess' '*/config.sub' '*/install-sh' \
        '*/ltmain.sh' '*/mkinstalldirs' '*/missing' '*/compile' '*/depcomp' '*/move-if-change'
}

# The tools that would make the makefile and the manual anew are not needed.
build() {
    local tools=(MAKEINFO=true AUTOMAKE=: AUTOCONF=: ACLOCAL=:) top=$PWD
    mkdir build
    cd build || return
    ../libgomp/configure --prefix="$1" --disable-multilib --disable-static --disable-werror \
        --with-gcc-major-version-only CFLAGS="-g -O2 -ffile-prefix-map=$top=/usr/src/libgomp-12"
    make -j"${MQS_OMPD_JOBS:-$(nproc)}" "${tools[@]}"
    make install-toolexeclibLTLIBRARIES DESTDIR="$2" "${tools[@]}"
}
