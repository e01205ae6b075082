#!/bin/sh
# Says "$2" and exits with "$1".
printf '%s' "$2"
exit "$1"
