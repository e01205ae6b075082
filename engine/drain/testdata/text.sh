#!/bin/sh
# Writes something that is no JSON object.
echo 'two
lines <b>'
