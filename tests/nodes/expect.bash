# SPDX-License-Identifier: BSD-3-Clause
# What tests in this folder expect of the output of mqshow, in $hosts_folder/facts, /output and /errors.
# Sourced behind hosts.bash; $name is what is tested, $failed becomes 1.
# shellcheck shell=bash disable=SC2034,SC2154

fail() {
    printf 'FAILED: %s: %s\n' "$name" "$*"
    cat "$hosts_folder/errors" "$hosts_folder/facts" 2>/dev/null | head -c 2000
    failed=1
}

# expect LINE...: these facts and no other ones
expect() {
    printf '%s\n' "$@" | sort | diff -u - <(sort "$hosts_folder/facts") >"$hosts_folder/difference" ||
        fail "other facts: $(cat "$hosts_folder/difference")"
}

expect_fact() {
    grep -qF -- "$1" "$hosts_folder/facts" || fail "nothing says: $1"
}

expect_error() {
    grep -qF -- "$1" "$hosts_folder/errors" || fail "no line on standard error has: $1"
}
