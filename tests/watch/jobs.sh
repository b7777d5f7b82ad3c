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

end_all() {
    local starter
    for starter in "${starters[@]}"; do
        # shellcheck disable=SC2046
        kill -KILL "$starter" $(below "$starter") 2>/dev/null
        wait "$starter" 2>/dev/null
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
    "$@" >"$folder/job.${#starters[@]}" 2>&1 &
    starter=$!
    starters+=("$starter")
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

# Waits until a command succeeds: await SECONDS COMMAND...
await() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}
