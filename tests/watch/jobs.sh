# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Starting jobs of tests/watch/watched, for the tests beside. All that was started ends with them.
folder=$(mktemp -d)
starters=()
failed=0
export UCX_TLS=tcp,self,sysv
trap end_all EXIT

# Processes below one.
below() {
    local pid
    for pid in $(pgrep -P "$1"); do
        echo "$pid"
        below "$pid"
    done
}

# Ends the job of $starter, whose ranks would keep the processors busy.
end_job() {
    # shellcheck disable=SC2046
    kill -KILL "$starter" $(below "$starter") 2>/dev/null
    wait "$starter" 2>/dev/null
}

end_all() {
    for starter in "${starters[@]}"; do
        end_job
    done
    rm -rf "$folder"
}

fail() {
    printf 'FAILED: %s\n' "$*"
    failed=1
}

mqshow() {
    ./mqshow/mqshow "$@"
}

# Starts a program in the background, whose id is $starter then.
begin() {
    : >"$folder/job.${#starters[@]}"
    "$@" >"$folder/job.${#starters[@]}" 2>&1 &
    starter=$!
    starters+=("$starter")
}

# Whether so many ranks of the job of $starter have printed their line, or it has ended. A starter may put a line of one
# into that of another.
ready() {
    [ "$(wc -l <"$folder/job.$((${#starters[@]} - 1))")" -ge "$1" ] || ! kill -0 "$starter" 2>/dev/null
}

# Starts a job of watched: begin_job openmpi|mpich RANKS SECONDS WORK...
begin_job() {
    local mpi=$1 ranks=$2
    shift 2
    case $mpi in
    openmpi) begin nice "${srcdir:-.}/tests/mpirun" -np "$ranks" tests/watch/watched-openmpi "$@" ;;
    mpich) begin nice mpiexec.mpich -n "$ranks" tests/watch/watched-mpich "$@" ;;
    esac
}

# What is shown of the job of $starter goes to $shown.
shown=$folder/shown
look() {
    mqshow --dll .libs/libmqs_ompd.so --job "$starter" >"$shown" 2>"$folder/errors"
}

# Whether what is shown now has all of these lines; the first that is not there is $missing.
shows() {
    look || return
    for missing; do
        grep -qE -- "$missing" "$shown" || return
    done
}

# expect WHAT LINE...: lines of what is shown of a job that has settled, all at once.
expect() {
    local what=$1
    await 600 shows "${@:2}" || fail "$what: no \"$missing\": $(head -n 9 "$shown" "$folder/errors"; tail -n 5 "$folder"/job.*)"
}

# Waits until a command succeeds: await SECONDS COMMAND...
await() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}
