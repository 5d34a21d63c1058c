#!/bin/sh
# The component has left the model: its job no longer starts. A run in progress continues; its files stay in its folder.
set -eu
. "$(dirname "$0")/lib.sh"

if owns_machine; then rm -f "/etc/cron.d/wattle-part-$own"; else end_service; fi
