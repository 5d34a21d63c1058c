#!/bin/sh
# Serves a page, and tells where.
echo "serving on port $port"
echo "http://$(hostname):$port/" > "${heat_outputs_path}.url"
