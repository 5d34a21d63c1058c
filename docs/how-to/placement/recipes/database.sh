#!/bin/sh
printf 'postgres://%s/shop' "$(hostname)" >"${heat_outputs_path}.url"
printf shop >"${heat_outputs_path}.user"
