#!/bin/sh
# Writes 200 MB to each of stdout and stderr.
head -c 200000000 /dev/zero | tr '\0' 'x'
head -c 200000000 /dev/zero | tr '\0' 'y' >&2
echo >&2
echo 'last word' >&2
exit "$1"
