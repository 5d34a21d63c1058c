#!/bin/sh
# The component has left the model: what it mounted is unmounted, and keeps its content.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mount.sh"

# shellcheck disable=SC2154 # An input of whatever component this tears down.
unmounted "$(place "$directory")"
