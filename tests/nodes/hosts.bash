# SPDX-License-Identifier: BSD-3-Clause
# Several hosts on one machine: each has network, host name, processes and shared memory of its own,
# and an sshd. Sourced by tests in this folder, as root.
#
# hosts_enter "$@" runs the script again in a world of its own, of which nothing is left when it
# ends, however it ends. There hosts_start NAME... starts hosts, which `ssh NAME` reaches from this
# one, "head", and from each other.

hosts_enter() {
    [ "${MQS_HOSTS:-}" != inside ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "$0: hosts are made of namespaces, which only root may make: run it as root"
        exit 1
    fi
    local needed
    for needed in unshare nsenter ip ssh ssh-keygen /usr/sbin/sshd; do
        command -v "$needed" >/dev/null || { echo "$0: $needed is not there: install it"; exit 1; }
    done
    MQS_HOSTS=inside exec unshare --mount --uts --net --pid --fork --kill-child --mount-proc "$0" "$@"
}

# Makes keys, a network, and an `ssh` that knows them.
hosts_prepare() {
    hosts_folder=$(mktemp -d)
    mount -t tmpfs tmpfs /dev/shm
    mkdir -p /run/sshd "$hosts_folder/bin"
    ssh-keygen -q -t ed25519 -N '' -f "$hosts_folder/host-key"
    ssh-keygen -q -t ed25519 -N '' -f "$hosts_folder/user-key"
    cat >"$hosts_folder/sshd_config" <<CONFIG
HostKey $hosts_folder/host-key
AuthorizedKeysFile $hosts_folder/user-key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile none
AcceptEnv *
SetEnv PATH=$hosts_folder/bin:$PATH
MaxStartups 100
LogLevel VERBOSE
CONFIG
    cat >"$hosts_folder/bin/ssh" <<SSH
#!/bin/sh
exec $(command -v ssh) -F none -i $hosts_folder/user-key -o BatchMode=yes -o StrictHostKeyChecking=no \\
    -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "\$@"
SSH
    chmod +x "$hosts_folder/bin/ssh"
    PATH=$hosts_folder/bin:$PATH
    hostname head
    printf '127.0.0.1 localhost\n10.0.0.1 head\n' >"$hosts_folder/hosts"
    mount --bind "$hosts_folder/hosts" /etc/hosts
    ip link set lo up
    ip link add bridge type bridge
    ip link set bridge up
    ip link add veth1 type veth peer name eth0
    ip link set veth1 master bridge up
    ip addr add 10.0.0.1/24 dev eth0
    ip link set eth0 up
    hosts_count=1
}

# What is process 1 on a host.
hosts_boot() {
    hostname "$1"
    mount -t tmpfs tmpfs /dev/shm
    ip link set lo up
    until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
    ip addr add "$2" dev eth0
    ip link set eth0 up
    exec /usr/sbin/sshd -D -e -f "$hosts_folder/sshd_config" 2>"$hosts_folder/sshd-$1"
}

hosts_start() {
    local name outside
    for name in "$@"; do
        hosts_count=$((hosts_count + 1))
        echo "10.0.0.$hosts_count $name" >>"$hosts_folder/hosts"
        export hosts_folder
        export -f hosts_boot
        unshare --mount --uts --net --pid --fork --kill-child --mount-proc \
            bash -c 'hosts_boot "$@"' boot "$name" "10.0.0.$hosts_count/24" &
        outside=$!
        # The network of the child, once it has one of its own.
        until [ "$(readlink "/proc/$outside/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
        ip link add "veth$hosts_count" type veth peer name eth0 netns "$outside"
        ip link set "veth$hosts_count" master bridge up
    done
    for name in "$@"; do
        hosts_wait_for "$name"
    done
}

hosts_wait_for() {
    local i
    for ((i = 0; i < 3000; i++)); do
        ssh "$1" true 2>/dev/null && return
        sleep 0.1
    done
    echo "$1 does not answer:"
    cat "$hosts_folder/sshd-$1"
    exit 1
}
