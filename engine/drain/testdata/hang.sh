#!/bin/sh
# Hangs in a child; "$1" is a named pipe that it holds open.
exec 3>"$1"
echo started >&3
sleep 1000
echo unreachable
