# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What the recipes of another machine's root folder have in common.

# Absolute links lead out of the folder.
unpack() {
    local link
    unpack_binaries "$1"
    while IFS= read -r link; do
        ln -sfn --relative ".$(readlink "$link")" "$link"
    done < <(find . -type l -lname '/*')
}

build() {
    mkdir -p "$2$1"
    rm -rf usr/share/{doc,man,locale}
    mv etc lib usr "$2$1/"
}
