#!/bin/sh
# Measures boots: seconds until a cluster with its database is ready, then the memory of
# its container and daemons and its processes and threads. Three boots of each kind and
# size, on core 0 and one after the other. What FILE has is not measured again, so that a
# series that was interrupted goes on. Usage, at the top of the checkout:
#
#   docs/records/015-cluster-kinds/boot.sh FILE [NODES...]
#
# SLURMLAB is the program (build/slurmlab), BACKENDS are names of --backend, IMAGE_24_11 and
# IMAGE_26_05 the images. Memory in MB: of the container as docker stats has it, and
# resident memory of slurmctld, mariadbd, slurmdbd and of all slurmds or the runner, with
# what they share. others is how much of the core other programs used during the boot.
set -eu
file=$1
shift
[ $# -gt 0 ] || set -- 128 1408 10000
slurmlab=${SLURMLAB:-build/slurmlab}
name=boot-$$
machine=$(mktemp --suffix .yaml)
trap 'rm -f "$machine"; "$slurmlab" down --name $name >/dev/null 2>&1 || true' EXIT
[ -e "$file" ] || echo backend,nodes,boot,up_s,others,container_mb,slurmctld_mb,mariadbd_mb,slurmdbd_mb,nodes_mb,pids >"$file"

busy() { awk '/^cpu0 / {print $2 + $3 + $4 + $6 + $7 + $8 + $9}' /proc/stat; }
resident() { # resident CONTAINER PATTERN
	docker exec "$1" sh -c "pgrep -f '$2' | xargs -r ps -o rss= -p" | awk '{kb += $1} END {printf "%.0f", kb / 1024}'
}
for backend in ${BACKENDS:-frontend external}; do
	case $backend in
	frontend) image=${IMAGE_24_11:-slurmlab:24.11} ;;
	*) image=${IMAGE_26_05:-slurmlab:latest} ;;
	esac
	for nodes; do
		printf 'name: boot\nnodes: %d\ncores: 12\ngpus: 3\n' "$nodes" >"$machine"
		for boot in 1 2 3; do
			! grep -q "^$backend,$nodes,$boot," "$file" || continue
			before=$(busy)
			up=$("$slurmlab" up --backend "$backend" --image "$image" --machine "$machine" --name $name --core 0 2>/dev/null |
				sed -n 's/^cluster .* is up after \([0-9.]*\) s.*/\1/p')
			after=$(busy)
			id=$(docker ps -q --filter "label=org.slurmlab.name=$name")
			own=$(docker exec "$id" sh -c 'cat /sys/fs/cgroup/cpuacct/cpuacct.usage 2>/dev/null || sed -n "s/usage_usec \(.*\)/\1000/p" /sys/fs/cgroup/cpu.stat')
			others=$(echo "$before $after $own $up $(getconf CLK_TCK)" | awk '{o = (($2 - $1) / $5 - $3 / 1e9) / $4; printf "%.2f", o < 0 ? 0 : o}')
			stats=$(docker stats --no-stream --format '{{.MemUsage}} {{.PIDs}}' "$id" |
				awk '{m = $1 + 0; if ($1 ~ /GiB/) m *= 1024; printf "%.0f %s", m, $NF}')
			echo "$backend,$nodes,$boot,$up,$others,${stats% *},$(resident "$id" '^slurmctld'),$(resident "$id" '^mariadbd'),$(resident "$id" '^slurmdbd'),$(resident "$id" '^slurmd |slurmlabd runner|^/usr/local/bin/slurmlabd runner'),${stats#* }" >>"$file"
			"$slurmlab" down --name $name >/dev/null
		done
	done
done
