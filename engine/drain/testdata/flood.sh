#!/bin/sh
# Writes 50 MB to each of stdout and stderr.
head -c 50000000 /dev/zero | tr '\0' 'x'
head -c 50000000 /dev/zero | tr '\0' 'y' >&2
echo >&2
echo 'last word' >&2
exit "$1"
