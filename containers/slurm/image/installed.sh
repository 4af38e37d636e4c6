#!/bin/sh
# Ends the installing of packages in an image: writes down what there is, and removes the lists and settings of apt that
# only the build needs. Run in the image after the last package.
#
#   installed.sh FILE
#
# FILE gets a line "archive SUITE DATE" for each archive, with the date of its InRelease file, which its maintainers have
# signed, and a line "package NAME VERSION" for each package.
set -eu

file=$1
mkdir -p "$(dirname "$file")"
for release in /var/lib/apt/lists/*_InRelease; do
	sed -n -e 's/^Codename: */archive /p' -e 's/^Date: *//p' -e '/^SHA256:/q' "$release" |
		sort -r | paste -s -d ' '
done >"$file"
dpkg-query --show --showformat 'package ${Package} ${Version}\n' >>"$file"
sed -i '/Check-Valid-Until/d' /etc/apt/apt.conf.d/*
find /etc/apt/apt.conf.d -size 0 -delete
rm -rf /var/lib/apt/lists/* /var/cache/apt/*
