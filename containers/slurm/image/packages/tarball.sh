#!/bin/sh
# Compiles Slurm from its tarball into /out, with the paths of Debian's packages. Without
# a tarball /out is empty. Run in the image, where the tarball is slurm.tarball.
#
#   tarball.sh NAME SERIES SHA256
#
# NAME is the name of the file, or "apt" for the source package of the mirror.
set -eu

name=$1 series=$2 sum=$3
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p /out
[ -n "$name" ] || exit 0
apt-get -o Acquire::Check-Valid-Until=false update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
	build-essential bzip2 libdbus-1-dev libhttp-parser-dev libhwloc-dev libjson-c-dev \
	libjwt-dev liblua5.1-0-dev liblz4-dev libmariadb-dev libmunge-dev libnuma-dev \
	libyaml-dev pkgconf python3-minimal
cd "$here"
if [ "$name" = apt ]; then
	if [ -f /etc/apt/sources.list.d/debian.sources ]; then
		sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources
	else
		sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/src.list
	fi
	apt-get -o Acquire::Check-Valid-Until=false update
	apt-get source --download-only --tar-only slurm-wlm || {
		echo "image fault: the mirror does not have the source package of Slurm;" \
			"give the file: make image-$series TARBALL=FILE"
		exit 1
	}
	name=$(ls slurm-wlm_*.orig.tar.*)
	mv "$name" slurm.tarball
	./check-tarball.sh slurm.tarball "$series" "$sum"
fi
mkdir slurm build
tar -xf slurm.tarball --strip-components=1 -C slurm
cd build

quietly() { # quietly NAME COMMAND...
	log=$1.log
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 40 "$log"
		exit 1
	}
}

# Lua 5.1 is what Debian's packages have.
quietly configure ../slurm/configure --prefix=/usr --sysconfdir=/etc/slurm \
	--libdir="/usr/lib/$(gcc -print-multiarch)" --disable-static --enable-multiple-slurmd \
	--with-munge --with-json --with-yaml --with-jwt --without-hdf5 --without-rdkafka \
	--without-pmix --without-freeipmi --disable-x11
quietly make make -j"$(nproc)"
quietly install make install DESTDIR=/out
find /out \( -name '*.la' -o -name '*.a' \) -delete
rm -rf /out/usr/share
find /out -type f -exec strip --strip-unneeded {} + 2>/dev/null || true
mkdir -p /out/usr/share/slurmlab
echo "tarball $name sha256:$sum" >/out/usr/share/slurmlab/sources
cd "$here"
rm -rf slurm build slurm.tarball
