#!/bin/sh
# The component has left the model: its job begins no more. A run that has begun goes on; what it kept stays in its folder.
set -eu
. "$(dirname "$0")/lib.sh"

if owns_machine; then rm -f "/etc/cron.d/wattle-part-$own"; else end_service; fi
