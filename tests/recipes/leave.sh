#!/bin/sh
# Goes if the door is open, and takes its time.
set -eu

echo "bye-bye says $word"
if [ ! -e "$WATTLE_STATE_DIR/door" ]; then
    echo "the door is locked" >&2
    exit 3
fi
sleep 1
echo "$word goes" >>"$WATTLE_STATE_DIR/said"
