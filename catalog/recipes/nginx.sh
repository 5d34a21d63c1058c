#!/bin/sh
# nginx, which distributes requests among the servers behind it.
set -eu
. "$(dirname "$0")/lib.sh"

without_debians nginx.service
packages nginx jq
make_home root 0711

host=$(url_host "$address")
upstreams=$(printf '%s' "$upstreams" | authorities)
cat >"$home/nginx.conf" <<CONF
daemon off;
user www-data;
pid $home/nginx.pid;
error_log $home/error.log;
events {}
http {
    access_log $home/access.log;
    client_body_temp_path $home/body;
    proxy_temp_path $home/proxy;
    fastcgi_temp_path $home/fastcgi;
    uwsgi_temp_path $home/uwsgi;
    scgi_temp_path $home/scgi;
    upstream upstreams {
$(printf '%s\n' "$upstreams" | sed 's/.*/        server &;/')
    }
    server {
        listen $host:$port;
        location / {
            proxy_pass http://upstreams;
            proxy_set_header Host \$http_host;
            proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto \$scheme;
        }
    }
}
CONF
/usr/sbin/nginx -t -q -c "$home/nginx.conf"

service QUIT root /usr/sbin/nginx -c "$home/nginx.conf"
until_ready 60 listens "$address" "$port"

printf 'http://%s:%s/' "$host" "$port" >"${heat_outputs_path}.url"
