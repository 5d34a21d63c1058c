#!/bin/sh
# Listens nowhere; what is declared of it is looked at.
set -eu

echo "$dns ${admin:-} ${cache:-}"
printf '%s' "$dns" >"${heat_outputs_path}.port"
