#!/bin/sh
# Hangs and ignores SIGTERM, and so do its children.
trap '' TERM
exec 3>"$1"
echo started >&3
while :; do sleep 1000; done
