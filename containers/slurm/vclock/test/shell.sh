#!/bin/bash
# shell.sh DIR: ordinary programs under libvclock.so and vclockd of DIR. Has to be
# run in a container that has a core for itself.
set -u
dir=$(realpath "$1")
export VCLOCK_PAGE=/dev/shm/vclock-shell.$$
failed=0

exec {ready}< <(exec "$dir/vclockd" --page "$VCLOCK_PAGE" --start 1700000000)
controller=$!
trap 'kill $controller; rm -f "$VCLOCK_PAGE"' EXIT
read -r line <&$ready
[ "$line" = "vclockd: ready" ] || exit 1

# expect SECONDS RESULT SCRIPT: what the script gives and how long it takes, which is
# longer only by the real time that it takes.
expect() {
	local result took start=${EPOCHREALTIME/./} real
	result=$(LD_PRELOAD=$dir/libvclock.so timeout --foreground 20000 bash -c "
		start=\$EPOCHREALTIME
		$3
		echo \"\$? \$((\${EPOCHREALTIME/./} - \${start/./}))\"" 2>/dev/null | tail -n 1)
	real=$((${EPOCHREALTIME/./} - start))
	took=${result#* }
	if [ "${result% *}" != "$2" ] || ((took < $1 * 1000000 || took > $1 * 1000000 + real)); then
		echo "FAIL $3: gave ${result% *} after $took us ($real us real), not $2 after $1 s"
		failed=1
	else
		echo "ok   $3"
	fi
}

expect 1000 0 'sleep 1000'
expect 500 124 'timeout 500 sleep 1000'
expect 300 0 'timeout 500 sleep 300'
expect 400 142 'read -t 400 x < <(sleep 700)'
expect 700 1 'read -t 900 x < <(sleep 700)'
expect 3000 0 'for i in 1 2 3; do sleep 1000; done'
expect 2000 0 'sleep 1000 & sleep 2000; wait'
expect 600 0 'sleep 600 | cat'
expect 0 0 'test $(($(date +%s) - EPOCHSECONDS)) -le 1'
expect 50 142 'perl -e "alarm 50; sleep 1000"'
expect 50 142 'perl -e "alarm 50; exec q(sleep), 1000"'
expect 100 0 'perl -e "select undef, undef, undef, 100"'
if command -v python3 >/dev/null; then
	expect 60 0 'python3 -c "import threading; threading.Event().wait(60)"'
	expect 60 0 'python3 -c "
import subprocess
try: subprocess.run([\"sleep\", \"100\"], timeout=60)
except subprocess.TimeoutExpired: pass"'
fi
exit $failed
