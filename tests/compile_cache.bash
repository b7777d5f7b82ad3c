# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Builds for tests, for sanitizers, packages and other machines: what a compiler made of the same source once is kept
# by ccache, if that is there, in ${MQS_OMPD_CCACHE}, by default ${XDG_CACHE_HOME:-~/.cache}/mqs-ompd/ccache, for
# checkouts in other folders too.
#
# use_compile_cache FOLDER [own]: the top of the sources, or what they are unpacked in. With "own" nothing is taken that
# was made in another folder, which debug information names.
use_compile_cache() {
    local links=/usr/lib/ccache
    [ -x $links/gcc ] || return 0
    export CCACHE_DIR=${MQS_OMPD_CCACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mqs-ompd/ccache}
    export CCACHE_BASEDIR=$1 CCACHE_MAXSIZE=2G
    [ "${2-}" = own ] || export CCACHE_NOHASHDIR=1
    [[ :$PATH: == *:$links:* ]] || export PATH=$links:$PATH
}
