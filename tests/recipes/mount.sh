#!/bin/sh
# Reads what others share.
printf '%s %s %s' "${share:-}" "${url:-}" "${count:-}" >"${heat_outputs_path}.read"
