#!/bin/sh
printf 'hello, %s' "$name" >"${heat_outputs_path}.greeting"
