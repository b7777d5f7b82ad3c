# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm without systemd on the hosts of hosts.bash: slurmctld on this one, "head", a slurmd on
# each of the others. Sourced behind hosts.bash; all of it ends with the world of hosts_enter.

slurm_programs=(slurmctld slurmd munged mungekey srun sbatch scancel squeue scontrol)

# Whether the machine has a Slurm; prints what is not there.
slurm_is_there() {
    local needed missing=()
    for needed in "${slurm_programs[@]}"; do
        command -v "$needed" >/dev/null || [ -x "/usr/sbin/$needed" ] || missing+=("$needed")
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "not there: ${missing[*]} (packages slurm-wlm, munge)"
    return 1
}

# A key, munged and a socket of their own: the machine's are left alone.
slurm_start_munge() {
    chmod 755 "$hosts_folder"
    install -d -o munge -g munge -m 711 "$hosts_folder/munge"
    (
        cd "$hosts_folder/munge" &&
            setpriv --reuid munge --regid munge --clear-groups mungekey --create --keyfile "$PWD/key" &&
            setpriv --reuid munge --regid munge --clear-groups /usr/sbin/munged --key-file "$PWD/key" \
                --socket "$PWD/socket" --pid-file "$PWD/pid" --seed-file "$PWD/seed" --log-file "$PWD/log"
    )
}

# slurm_configure NODE...: before hosts_start, so that all hosts have it in its usual place
slurm_configure() {
    mkdir -p /etc/slurm "$hosts_folder/slurm/state"
    mount -t tmpfs tmpfs /etc/slurm
    # Slurm's PMIx has folders of the same name on all nodes.
    mkdir -p "${@/#/$hosts_folder/slurm/tmp.}"
    cat >/etc/slurm/slurm.conf <<CONF
ClusterName=hosts
SlurmctldHost=head
AuthType=auth/munge
AuthInfo=socket=$hosts_folder/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$hosts_folder/slurm/state
SlurmdSpoolDir=$hosts_folder/slurm/spool.%n
TmpFS=$hosts_folder/slurm/tmp.%n
SlurmctldPidFile=$hosts_folder/slurm/slurmctld.pid
SlurmdPidFile=$hosts_folder/slurm/slurmd.%n.pid
SlurmctldLogFile=$hosts_folder/slurm/slurmctld.log
SlurmdLogFile=$hosts_folder/slurm/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=pmi2
ReturnToService=2
SlurmdParameters=config_overrides
CompleteWait=0
SchedulerParameters=bf_interval=1,batch_sched_delay=0,sched_interval=1,sched_min_interval=0
FirstJobId=30001
MinJobAge=300
KillWait=2
DefMemPerNode=200
NodeName=$(IFS=,; echo "$*") CPUs=4 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
CONF
}

slurm_start_controller() {
    /usr/sbin/slurmctld
}

# Only its own process: others of that name are not ours.
slurm_stop_controller() {
    local controller
    controller=$(cat "$hosts_folder/slurm/slurmctld.pid")
    kill "$controller"
    while kill -0 "$controller" 2>/dev/null; do sleep 0.05; done
}

# slurm_start NODE...: hosts that hosts_start has started
slurm_start() {
    local node i
    slurm_start_munge || { cat "$hosts_folder/munge/log"; exit 1; }
    slurm_start_controller
    for node in "$@"; do
        ssh "$node" /usr/sbin/slurmd
    done
    for ((i = 0; i < 600; i++)); do
        [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" -eq $# ] && return
        sleep 0.1
    done
    echo "Slurm does not start:"
    sinfo -N -l
    tail -n 20 "$hosts_folder"/slurm/*.log
    exit 1
}
