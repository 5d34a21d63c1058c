#!/bin/sh
echo "greeting $name"
printf 'hello, %s' "$naem" >"${heat_outputs_path}.greeting"
