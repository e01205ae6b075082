#!/bin/sh
# Fails with the code it is given, without a word.
exit "$1"
