#!/bin/sh
printf "http://%s %s %s" "$database" "$subnet" "$greeting" > "${heat_outputs_path}.url"
