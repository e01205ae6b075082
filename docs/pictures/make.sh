#!/usr/bin/env bash
# Makes the pictures of the documents, from the console itself: each is a
# snapshot of a screen while the demo runs. Needs Go and nothing else.
#
#   docs/pictures/make.sh            all of them
#   docs/pictures/make.sh slots      only those named
set -euo pipefail
cd "$(dirname "$0")/../.."
out=docs/pictures
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/signalbox" .

# picture NAME THEME SCREEN SIZE
picture() {
	printf 'theme = "%s"\n' "$2" >"$bin/config.toml"
	"$bin/signalbox" --config "$bin/config.toml" --tz UTC snapshot "$3" \
		--demo office --after 6s --speed 6 --size "$4" --svg >"$out/$1.svg"
	echo "$out/$1.svg"
}

wanted() { [ $# -eq 1 ] || [[ " ${*:2} " == *" $1 "* ]]; }

while read -r name theme screen size; do
	if wanted "$name" "$@"; then picture "$name" "$theme" "$screen" "$size"; fi
done <<'END'
slots dark slots 120x32
slots-light light slots 120x32
queues dark queues 120x24
jobs dark jobs 120x16
job dark job 120x32
review dark review 120x24
events dark events 120x24
robots dark robots 120x24
END
