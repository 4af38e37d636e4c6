#!/bin/sh
# Refuses a file that is not the tarball of Slurm that was asked for, and otherwise
# prints its version.
#
#   check-tarball.sh FILE SERIES SHA256
set -eu

file=$1 series=$2 sum=$3

fail() {
	printf 'image fault: %s\n' "$*"
	exit 1
}

[ -f "$file" ] && [ -r "$file" ] || fail "TARBALL=$file cannot be read"
found=$(sha256sum <"$file" | cut -d ' ' -f 1)
[ "$found" = "$sum" ] || fail "TARBALL=$file has sha256 $found, want $sum;" \
	"if it is another release that you trust, give its sum as TARBALL_SHA256"
version=$(tar -xOf "$file" --wildcards --no-wildcards-match-slash '*/META' 2>/dev/null |
	sed -n 's/^ *Version:[[:space:]]*//p') || true
case $version in
"$series".*) printf '%s\n' "$version" ;;
"") fail "TARBALL=$file is no tarball of Slurm: it has no META with a version" ;;
*) fail "TARBALL=$file has Slurm $version, want $series.x" ;;
esac
