#!/bin/sh
# An input is an environment variable; an output is a file beside ${heat_outputs_path}.
set -eu

printf 'hello, %s' "$name" >"${heat_outputs_path}.greeting"
