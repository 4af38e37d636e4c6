#!/bin/sh
# Puts the locale of the image, C.UTF-8, into an archive of its own. Run in the image.
#
# Without it each program that starts, so each sleep and each Slurm command of a run, opens and maps 13 files of the
# locale. Of the archive it opens one.
set -eu

localedef --add-to-archive /usr/lib/locale/C.utf8
rm -r /usr/lib/locale/C.utf8
