#!/bin/sh
# Says a word, and never comes to an end if that word is `hang`.
set -eu

if [ "$word" = hang ]; then sleep 1017; fi
printf '%s' "$word" >"${heat_outputs_path}.said"
