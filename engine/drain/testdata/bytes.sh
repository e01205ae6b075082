#!/bin/sh
# Writes NUL and invalid UTF-8 to stdout, and to stderr with a failure.
printf 'a\000b\377c'
printf 'bad \000 byte \377\n' >&2
exit "$1"
