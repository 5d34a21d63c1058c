#!/bin/sh
# nginx, which distributes requests among the application servers.
set -eu
. "$(dirname "$0")/lib.sh"

# Debian's own nginx would take port 80 of every address when the server reboots.
if owns_machine; then systemctl mask --now nginx.service; fi
packages nginx jq

home=$state_dir/nginx
host=$(url_host "$address")
install -d "$home"
cat >"$home/nginx.conf" <<CONF
daemon off;
user www-data;
pid $home/nginx.pid;
error_log $home/error.log;
events {}
http {
    access_log $home/access.log;
    upstream apps {
$(printf '%s' "$backends" | jq -r '.[] | capture("^http://(?<host>[^/]+)") | "        server \(.host);"')
    }
    server {
        listen $host:$port;
        location / {
            proxy_pass http://apps;
            proxy_set_header Host \$http_host;
        }
    }
}
CONF
/usr/sbin/nginx -t -q -c "$home/nginx.conf"

service nginx root /usr/sbin/nginx -c "$home/nginx.conf"

url=http://$host:$port/
until_ready 60 /usr/bin/env bash -c "exec 3<>/dev/tcp/$address/$port"
printf '%s' "$url" >"${heat_outputs_path}.url"
