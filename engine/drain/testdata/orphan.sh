#!/bin/sh
# Ends, but leaves a child behind that keeps its files open.
exec 3>"$1"
echo started >&3
sleep 1000 &
echo '{"done":true}'
