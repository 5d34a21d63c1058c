#!/bin/sh
# Shares files.
printf '{"path": "/srv"}' >"${heat_outputs_path}.share"
printf 'postgres://shop' >"${heat_outputs_path}.url"
printf 0 >"${heat_outputs_path}.count"
