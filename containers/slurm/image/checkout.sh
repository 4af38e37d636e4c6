#!/bin/sh
# Prints the id of this checkout, with which base.sh labels images: twelve hexadecimal digits that follow from the
# machine's name and the directory, so that they outlive "rm -rf build" and a new clone in the same place. Called
# from the top of the checkout.
#
# SLURMLAB_CHECKOUT in the environment is taken instead: checkouts with the same id share images.
set -eu

if [ -n "${SLURMLAB_CHECKOUT:-}" ]; then
	case $SLURMLAB_CHECKOUT in
	*[!a-z0-9]*)
		echo "image: SLURMLAB_CHECKOUT=$SLURMLAB_CHECKOUT is not allowed, want small letters and digits" >&2
		exit 1
		;;
	esac
	echo "$SLURMLAB_CHECKOUT"
else
	printf '%s:%s' "$(uname -n)" "$(pwd -P)" | sha256sum | cut -c1-12
fi
