#!/bin/sh
# An agent that works one item: it asks the model turn after turn until that is
# done. Each turn is one request in one slot of the slow lane, taken for it and
# released after it; between turns it holds none.
#
# It reads the item on stdin and writes the output on stdout, as a program that
# works a queue does. MODEL is the model's address; needs curl and jq.
set -eu
: "${MODEL:=http://127.0.0.1:8091}" "${SIGNALBOX:=signalbox}"
ask=$(jq -r '.payload.text // empty')
if [ -z "$ask" ]; then
	echo 'there is no text to work on' >&2
	exit 65
fi
talk=$(jq -n --arg ask "$ask" '{messages: [{role: "user", content: $ask}]}')
turns=0
while [ "$turns" -lt 20 ]; do
	answer=$("$SIGNALBOX" slot run --lane slow -- curl -sS --fail-with-body --max-time 60 "$MODEL/turn" -d "$talk") || exit 75
	turns=$((turns + 1))
	talk=$(printf '%s' "$talk" | jq --argjson answer "$answer" '.messages += [{role: "assistant", content: $answer.content}]')
	if [ "$(printf '%s' "$answer" | jq .done)" = true ]; then
		printf '%s' "$talk" | jq -c --argjson turns "$turns" '{answer: .messages[-1].content, turns: $turns}'
		exit 0
	fi
done
echo "no end after $turns turns" >&2
exit 75
