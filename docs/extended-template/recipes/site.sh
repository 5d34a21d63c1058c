#!/bin/sh
# The shop's site: here one line of it.
set -eu
printf '%s: %s goods from %s at port %s of %s' "$title" "$goods" "$database" "$port" "$hosts" >"${heat_outputs_path}.page"
