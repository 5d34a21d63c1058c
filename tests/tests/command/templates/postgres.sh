#!/bin/sh
printf "pg://%s" "$port" > "${heat_outputs_path}.url"
: "$password"
