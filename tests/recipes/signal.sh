#!/bin/sh
# Waits at a door, and signals how it went: with the word `fail` that it failed.
set -eu

echo "$word" >>"$WATTLE_STATE_DIR/said"
printf '%s' "$word" >"${heat_outputs_path}.said"
while [ ! -e "$WATTLE_STATE_DIR/door" ]; do sleep 0.1; done
if [ "$word" = fail ]; then
    $curl_cli --silent --data-binary '{"status": "FAILURE", "reason": "there is no room", "id": "room"}'
    exit 0
fi
$curl_cli --data-binary '{"status": "SUCCESS", "id": "inn", "data": "open"}'
printf '{"data": {"word": "%s"}}' "$word" | $curl_cli -d @-
if $curl_cli --data-binary '{"status": "PERHAPS"}'; then exit 4; fi
