#!/bin/sh
# Schedulers of pybatsim on a real Slurm, one run each: the figures of docs/records/022-plugins/README.md.
#
# It needs slurmlab in the PATH, its image (make image), and for python3 the packages zmq
# (Debian's python3-zmq), procset and pybatsim 3.2.0, whose command pybatsim must be in the PATH:
#
#	apt-get install python3-venv python3-zmq
#	python3 -m venv --system-site-packages schedulers
#	schedulers/bin/pip install procset pybatsim==3.2.0
#	PATH=$PWD/schedulers/bin:$PATH docs/records/022-plugins/batsim.sh
set -eu
slurmlab plugin python modules
for scheduler in easyBackfill fillerSched schedFcfs; do
	BATSIM_SCHEDULER="pybatsim -t 0 -s tcp://127.0.0.1:28000 $scheduler" \
		slurmlab run --backend external --machine S --workload IV.1 --theoretical-runtime 1h --seed 1 \
		--policy host:modules/slurmlab_batsim.py --out "batsim-$scheduler"
done

# The one that thinks for too long: what it is told of 90 jobs at once.
BATSIM_SCHEDULER="pybatsim -t 0 -s tcp://127.0.0.1:28000 schedEasySjfBackfill" \
	slurmlab plugin check modules/slurmlab_batsim.py || test $? = 3
