#!/bin/sh
# Fails with the code it is given, with a last word.
echo 'reading the invoice' >&2
printf '10%%\r20%%\rno such supplier: ACME\n\n' >&2
exit "$1"
