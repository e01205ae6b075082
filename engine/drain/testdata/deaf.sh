#!/bin/sh
# Does not read its input.
exec 0<&-
echo '{"deaf":true}'
