#!/bin/sh
# Writes a JSON object of as many characters as it is given.
printf '{"text":"'
head -c "$1" /dev/zero | tr '\0' 'x'
printf '"}'
