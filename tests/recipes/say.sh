#!/bin/sh
# Says a word, unless that word is `fail`, and takes its time when it is `slow`; leaves a service behind, as recipes do.
set -eu

echo "$word" >>"$WATTLE_STATE_DIR/said"
if [ "$word" = fail ]; then
    echo "what is asked for cannot be said" >&2
    exit 3
fi
if [ "$word" = slow ]; then sleep 4; fi
if [ "$(wattle get word)" != "$word" ]; then
    echo "the agent says otherwise: $(wattle get word)" >&2
    exit 4
fi
if [ -n "${service:-}" ]; then
    setsid sleep "$service" >/dev/null 2>&1 &
fi
printf '%s' "$word${heard:+ after $heard}" >"${heat_outputs_path}.said"
