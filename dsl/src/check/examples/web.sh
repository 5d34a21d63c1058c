#!/bin/sh
# Serves a page, and publishes its URL.
echo "serving on port $port"
echo "http://$(hostname):$port/" > "${heat_outputs_path}.url"
