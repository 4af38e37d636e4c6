#!/bin/sh
# A window of each recorded trace under the policy of its record, under the strongest backfill and under the auction.
#
#   docs/records/024-twin/twins.sh TRACES DIRECTORY [QUEUE...]
#
# TRACES has the files of the traces. A run that is there is kept, and one that was broken off is made again, so that a series goes on
# where it stopped. SLURMLAB and OPTIONS say which slurmlab runs, with what beside.
set -eu
traces=$1 out=$2
shift 2
mkdir -p "$out" && cd "$out"
printf 'name: kth\nnodes: 100\ncores: 1\n' >kth.yaml
printf 'name: nasa\nnodes: 128\ncores: 1\n' >nasa.yaml
printf 'name: philly\nnodes: 24\ncores: 8\ngpus: 8\n' >philly.yaml
cat >curie.yaml <<END
name: curie
groups:
  - {name: thin, count: 5040, cores: 16}
  - {name: fat, count: 360, cores: 32}
  - {name: hybrid, count: 144, cores: 8, gpus: 2}
END
cat >phillips.yaml <<END
name: phillips
groups:
  - {name: thin, count: 40, cores: 8, memory: 64GiB}
  - {name: black, count: 1, cores: 8, memory: 24GiB}
  - {name: fat, count: 5, cores: 12, memory: 48GiB, gpus: 2}
partitions:
  - {name: crumpet, groups: [thin], default: true}
  - {name: black, groups: [black]}
  - {name: focaccia, groups: [fat]}
END

# queue NAME FILE FORMAT "IMPORT OPTIONS" POLICY...: the first policy is that of the record.
queue() {
  name=$1 file=$traces/$2 format=$3 options=$4
  shift 4
  # The options are words.
  # shellcheck disable=SC2086
  [ -e "$name.csv" ] || "$slurmlab" workload import "$file" --format "$format" --machine "$name.yaml" $options --out "$name.csv" 2>"$name.import"
  for policy; do
    run=$name-$policy
    if ! [ -e "$run/metrics.json" ]; then
      rm -rf "$run"
      # shellcheck disable=SC2086
      "$slurmlab" run --backend external --machine "$name.yaml" --workload "$name.csv" --policy "$policy" ${OPTIONS:-} --quiet --out "$run" >/dev/null
    fi
    # These two do not say when jobs started.
    case $name in nasa | philly) continue ;; esac
    "$slurmlab" twin check "$run" "$file" --format "$format" --as markdown >"$run.md"
  done
}

slurmlab=${SLURMLAB:-slurmlab}
for each in ${@:-phillips nasa philly kth curie}; do
  case $each in
  phillips) queue phillips phillips.sacct.txt.gz sacct '' backfill-whole-queue backfill auction ;;
  nasa) queue nasa NASA-iPSC-1993-3.1-cln.swf.gz swf '--from 1416h --jobs 1000' fifo backfill auction ;;
  philly) queue philly philly.csv.gz philly '--from 960h --until 984h' backfill-whole-queue backfill auction ;;
  kth) queue kth KTH-SP2-1996-2.1-cln.swf.gz swf '--from 1440h --jobs 1000 --keep-state' backfill-whole-queue+bf_job_part_count_reserve=1 backfill auction ;;
  curie) queue curie CEA-Curie-2011-2.1-cln.swf.gz swf '--from 2394h --jobs 1000 --keep-state --skip-bad' \
    backfill-whole-queue+bf_job_part_count_reserve=1+bf_interval=300 backfill+bf_interval=300 auction ;;
  esac
done
