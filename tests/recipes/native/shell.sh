#!/bin/sh
set -eu
. "$(dirname "$0")/lib.sh"
echo "the password is $password"
line >"${heat_outputs_path}.line"
# A service that outlives its recipe, and keeps the recipe's output open.
sleep 60 &
echo "$!" >"$password"
echo "$!" >"${heat_outputs_path}.service"
echo '[80, 443]' >"${heat_outputs_path}.listens"
echo true >"${heat_outputs_path}.ready"
