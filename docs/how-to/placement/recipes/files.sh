#!/bin/sh
printf '{"address": "%s", "path": "/srv/files"}' "$(hostname -i)" >"${heat_outputs_path}.share"
printf 0 >"${heat_outputs_path}.count"
