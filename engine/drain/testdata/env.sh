#!/bin/sh
# Says what it was told by its environment and on stdin.
read -r line
case $line in '{"id":"orders/1"'*'"payload":{"n":1}'*) got=item ;; *) got=nonsense ;; esac
echo "{\"queue\":\"$SIGNALBOX_QUEUE\",\"item\":\"$SIGNALBOX_ITEM\",\"attempt\":\"$SIGNALBOX_ATTEMPT\",\"job\":\"$SIGNALBOX_JOB\",\"colour\":\"$COLOUR\",\"dir\":\"$PWD\",\"got\":\"$got\"}"
