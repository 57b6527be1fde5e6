#!/bin/bash
# SPDX-License-Identifier: MIT
# Run a command and print what it prints; behind each line that says how long something took that
# has just ended (".. in 1.234 s, .."), how much of the processors the command and all that it has
# started used in that time. Other processes of the machine do not count.
#
#	tools/ci/pci/busy.sh COMMAND [ARG...]
set -u

ticks=$(getconf CLK_TCK)
cpus=$(getconf _NPROCESSORS_ONLN)

# family PID: it and all below it
family() {
	local child
	echo "$1"
	for child in $(pgrep -P "$1"); do
		family "$child"
	done
}

# Processor time of the processes until now, in clock ticks, and the time of the sample, in ms.
pids=()
times=()
used=()
sample() {
	local pid line fields sum=0 at
	for pid in "${pids[@]}"; do
		# It may have ended, and is in its parent's count then. Its name is in brackets, and may
		# have spaces.
		{ read -r line <"/proc/$pid/stat"; } 2>/dev/null || continue
		read -r -a fields <<<"${line##*)}"
		sum=$((sum + fields[11] + fields[12] + fields[13] + fields[14]))
	done
	at=${EPOCHREALTIME/[.,]/}
	times+=("${at%???}")
	used+=("$sum")
}

# report SECONDS: of the time that ends now
report() {
	local last=$((${#times[@]} - 1)) from ms=${1/./}
	ms=$((10#$ms))
	from=$last
	while [ $from -gt 0 ] && [ $((times[last] - times[from])) -lt $ms ]; do
		from=$((from - 1))
	done
	awk -v ticks=$((used[last] - used[from])) -v hz="$ticks" -v cpus="$cpus" \
		-v s=$((times[last] - times[from])) 'BEGIN {
		printf "           QEMU and the devices had the processor for %.2f s of %d x %.2f s: idle for %.0f %%\n",
			ticks / hz, cpus, s / 1000, 100 - 100000 * ticks / hz / cpus / s
	}'
}

exec 3< <(exec "$@")
run=$!
while :; do
	status=0
	IFS= read -r -t 0.1 -u 3 line || status=$?
	if [ $status = 0 ]; then
		echo "$line"
		[[ $line =~ \ in\ ([0-9]+\.[0-9]{3})\ s, ]] && sample && report "${BASH_REMATCH[1]}"
	elif [ $status -gt 128 ]; then
		# those that matter are there for as long as it runs
		[ $((${#times[@]} % 20)) != 0 ] || mapfile -t pids < <(family $run)
		sample
	else
		break
	fi
done
wait $run
