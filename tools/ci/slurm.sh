#!/bin/bash
# SPDX-License-Identifier: MIT
# A sweep as a job array on a cluster of one node, which this script starts and stops: the same table
# as without. Skipped where Slurm is not installed. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh

for program in munged slurmctld slurmd sbatch squeue scontrol; do
	if ! PATH=$PATH:/usr/sbin command -v $program >/dev/null; then
		echo "1..0 # SKIP there is no $program"
		exit 0
	fi
done
PATH=$PATH:/usr/sbin

# sockets have short names, and munged wants a folder that nobody else can write
cluster=$(mktemp -d /tmp/loom-slurm-XXXXXX)
chmod 755 "$cluster"
out=build/slurm
host=$(hostname -s)
user=$(id -un)
# ports that are likely to be free, other ones for each run
port=$((20000 + $$ % 20000))
export SLURM_CONF=$cluster/slurm.conf

down() {
	local pid
	for pid in "$cluster"/*.pid; do
		[ -f "$pid" ] && kill "$(cat "$pid")" 2>/dev/null
	done
	sleep 1
	rm -rf "$cluster"
}
trap down EXIT

up() {
	mkdir -p "$cluster/state" "$cluster/spool" "$cluster/log"
	(umask 077 && dd if=/dev/urandom of="$cluster/munge.key" bs=128 count=1 2>/dev/null)
	munged --force --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
		--pid-file="$cluster/munged.pid" --log-file="$cluster/log/munged.log" \
		--seed-file="$cluster/munge.seed" || return 1
	cat >"$SLURM_CONF" <<END
ClusterName=loom
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/log/slurmctld.log
SlurmdLogFile=$cluster/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MailProg=/bin/true
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
	slurmctld && slurmd
}

# wait_for SECONDS COMMAND...
wait_for() {
	local seconds=$1
	shift
	for _ in $(seq "$seconds"); do
		"$@" && return 0
		sleep 1
	done
	return 1
}

idle() {
	[ "$(sinfo -h -o %T 2>/dev/null)" = idle ]
}

no_jobs() {
	[ -z "$(squeue -h 2>&1)" ]
}

logs() {
	tail -n 5 "$cluster"/log/*.log "$out"/*.log 2>/dev/null | sed 's/^/# /'
}

# sweep TABLE ARG...
sweep() {
	local table=$1
	shift
	build/loom sweep build/models/blazeface.onnx build/models/ppocr_cls.onnx@x=1x3x48x192 \
		--vary sram=1k..512k:x2,lanes=8/33 -o "$out/$table.csv" "$@"
}

rm -rf $out
mkdir -p $out
sweep here >$out/here.log 2>&1
ok $? 'a sweep without a cluster'
up >$out/up.log 2>&1 && wait_for 600 idle
ok $? 'a cluster of one node is up' || { logs; finish; }
sweep there --slurm $out/go.sh --tasks 7 >$out/script.log 2>&1
ok $? 'the script is written'
sh $out/go.sh
ok $? 'and submits itself'
wait_for 6000 no_jobs
ok $? 'all jobs end' || logs
cmp $out/here.csv $out/there.csv
ok $? 'the table is the same' || logs
[ -z "$(ls $out/there.csv.journal* 2>/dev/null)" ]
ok $? 'no journal is left'
finish
