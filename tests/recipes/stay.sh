#!/bin/sh
# Stays, until it is torn down.
set -eu

echo "$word comes" >>"$WATTLE_STATE_DIR/said"
