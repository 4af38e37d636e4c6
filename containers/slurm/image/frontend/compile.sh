#!/bin/sh
# Compiles Slurm with front-end mode from the directory SOURCES, beside which it works, and installs it in /opt/slurm.
# Run in the image.
#
#   compile.sh SOURCES
#
# It makes the programs that Debian's packages of the other backend have, and no slurmrestd, sackd and scrun.
# It makes the plugins that a cluster of this kind can load: those in slurm.conf (containers/slurm/conf), those that a
# setting of a run can choose (containers/slurm/conf), and those that Slurm loads by itself. Of the versions of
# data_parser, which "--json" and "--yaml" of the commands need, it makes the newest, their default.
set -eu

sources=$1
mkdir "$sources-build"
cd "$sources-build"

quietly() { # quietly NAME COMMAND...
	log=$1.log
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 40 "$log"
		exit 1
	}
}

# Optimised as Slurm's configure does it by default. The debugging information that it would add costs a quarter of
# the time, and would be stripped. The shell is that of libtool for each file, and bash takes longer.
CONFIG_SHELL=/bin/sh CFLAGS='-O1 -fno-strict-aliasing' quietly configure "../$(basename "$sources")/configure" \
	--prefix=/opt/slurm --sysconfdir=/etc/slurm --enable-front-end --disable-debug --disable-dependency-tracking \
	--without-shared-libslurm --disable-static --with-json --with-yaml --without-munge --without-hdf5 \
	--without-rdkafka --without-pmix --without-freeipmi --disable-x11

# One make has all parts as goals, so that no processor waits for the last file of a part. Parts that several others
# link come first: each of these would make them, at the same time.
cat >parts.mk <<'EOF'
LINKED := bcast slurmd/common stepmgr plugins/accounting_storage/common plugins/topology/common
PROGRAMS := slurmctld sacctmgr slurmd/slurmstepd scontrol srun slurmd/slurmd slurmdbd sacct salloc sattach sbatch \
	sbcast scancel scrontab sdiag sinfo sprio squeue sreport sshare sstat strigger
PLUGINS := $(addprefix plugins/,accounting_storage/mysql accounting_storage/slurmdbd accounting_storage/ctld_relay \
	auth/slurm data_parser/v0.0.42 gpu/generic gres/gpu hash/k12 job_submit/lua jobcomp/filetxt mcs/account mcs/group \
	mcs/label mcs/user mpi/pmi2 preempt/partition_prio preempt/qos prep/script priority/basic priority/multifactor \
	proctrack/pgid sched/backfill sched/builtin select/cons_tres serializer/json serializer/url-encoded \
	serializer/yaml tls/none topology/default topology/tree)

all: api $(LINKED) $(PROGRAMS) $(PLUGINS)
$(LINKED): api
$(PROGRAMS) $(PLUGINS): $(LINKED)
api $(LINKED) $(PROGRAMS) $(PLUGINS):
	$(MAKE) -C src/$@ $(GOAL)
.PHONY: all api $(LINKED) $(PROGRAMS) $(PLUGINS)
EOF
for goal in all install; do
	quietly make make -j"$(nproc)" -f parts.mk GOAL=$goal
done
find /opt/slurm \( -name '*.la' -o -name '*.a' \) -delete
rm -rf /opt/slurm/include /opt/slurm/share /opt/slurm/lib/pkgconfig /opt/slurm/lib/slurm/src
find /opt/slurm -type f -exec strip --strip-unneeded {} +
rm -rf "$sources" "$sources-build"
