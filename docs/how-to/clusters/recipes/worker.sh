#!/bin/sh
printf 'http://%s:8080/' "$address" >"${heat_outputs_path}.url"
