# shellcheck shell=bash disable=SC2154
# Starts, watches and ends processes.
# Sourced by `lab`, which sets the variables used here.

environment() { # environment of the services
    unset "${!OS_@}" "${!PYTHON@}"
    export HOME=$lab/home PATH=$venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONWARNINGS=ignore LC_ALL=C.UTF-8
    export OS_NOVA_CONFIG_DIR=$lab/etc/nova OS_NEUTRON_CONFIG_DIR=$lab/etc/neutron
    export OS_NEUTRON_CONFIG_FILES="neutron.conf;ml2.ini"
    export OS_GLANCE_CONFIG_DIR=$lab/etc/glance OS_KEYSTONE_CONFIG_DIR=$lab/etc/keystone
    export OS_PLACEMENT_CONFIG_DIR=$lab/etc/placement
}

born() { sed -n 's/^.*) //p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; } # born PID: when it was started

alive() { # alive NAME: its process is there, and is the one that was started
    local pid at
    [ -f "$lab/run/$1.pid" ] || return 1
    read -r pid at <"$lab/run/$1.pid" || return 1
    [ -n "$at" ] && [ "$(born "$pid")" = "$at" ]
}

start() { # start NAME CMD...
    local name=$1 pid
    shift
    if alive "$name"; then return; fi
    (
        environment
        exec nsenter --net="/run/netns/$ns" -- setsid "$@"
    ) </dev/null >>"$lab/log/$name.log" 2>&1 &
    pid=$!
    disown
    echo "$pid $(born "$pid")" >"$lab/run/$name.pid"
}

stop() { # stop NAME...: its process group
    local name pid
    for name; do
        if alive "$name"; then
            read -r pid _ <"$lab/run/$name.pid"
            kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || true
        fi
    done
    for name; do
        for _ in $(seq 100); do alive "$name" || break; sleep 0.1; done
        if alive "$name"; then
            read -r pid _ <"$lab/run/$name.pid"
            kill -KILL -- "-$pid" 2>/dev/null || true
        fi
        rm -f "$lab/run/$name.pid"
    done
}

api() { # api NAME MODULE PORT|ADDRESS [PROCESSES]
    local at=$3
    case $at in *:*) ;; *) at=0.0.0.0:$at ;; esac
    start "$1" "$venv/bin/uwsgi" --master --die-on-term --need-app --lazy-apps --enable-threads --thunder-lock \
        --processes "${4:-1}" --threads 1 --buffer-size 65535 --http-socket "$at" --add-header "Connection: close" \
        --socket-timeout 60 --req-logger "file:$lab/log/$1.requests" --log-format "%(method) %(uri) %(status)" \
        --http-chunked-input --module "$2:application"
}

network() {
    if [ ! -e "/run/netns/$ns" ]; then ip netns add "$ns"; fi
    inside ip link set lo up
    inside ip address replace "$ip/32" dev lo
    # Guests request their metadata at this address. Nova identifies a guest by its address.
    inside ip address replace 169.254.169.254/32 dev lo
}

until_port() { # until_port PORT NAME [SECONDS]
    local deadline=$((SECONDS + ${3:-60}))
    until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
        alive "$2" || { tail -n 30 "$lab/log/$2.log" >&2; die "$2 has ended: see $lab/log/$2.log"; }
        [ $SECONDS -lt $deadline ] || die "$2 does not answer: see $lab/log/$2.log"
        sleep 0.2
    done
}
export -f until_port alive born die say
wait_port() { lab=$lab inside bash -c 'set -u; until_port "$@"' - "$@"; }

sql() { inside mariadb --socket="$lab/run/mariadb.sock" -u root "$@"; }

start_database() {
    mkdir -p "$lab/state/mariadb"
    if [ ! -d "$lab/state/mariadb/mysql" ]; then
        mariadb-install-db --no-defaults --user=root --datadir="$lab/state/mariadb" --auth-root-authentication-method=normal \
            --skip-test-db >"$lab/log/mariadb-install.log" 2>&1
    fi
    start mariadb mariadbd --no-defaults --user=root --datadir="$lab/state/mariadb" --socket="$lab/run/mariadb.sock" \
        --pid-file="$lab/run/mariadbd" --bind-address=127.0.0.1 --port=3306 --skip-name-resolve --max-connections=1000 \
        --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-buffer-pool-size=256M --performance-schema=off \
        --character-set-server=utf8mb4 --collation-server=utf8mb4_general_ci --transaction-isolation=READ-COMMITTED
    wait_port 3306 mariadb
}

start_rabbit() {
    mkdir -p "$lab/state/rabbit" "$lab/log/rabbit"
    start rabbit env RABBITMQ_NODENAME=lab@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=5672 \
        RABBITMQ_MNESIA_BASE="$lab/state/rabbit" RABBITMQ_LOG_BASE="$lab/log/rabbit" \
        RABBITMQ_PID_FILE="$lab/run/rabbitmq" RABBITMQ_CONFIG_FILE="$lab/etc/rabbitmq" \
        RABBITMQ_ENABLED_PLUGINS_FILE="$lab/etc/rabbitmq.plugins" ERL_EPMD_ADDRESS=127.0.0.1 \
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none" \
        /usr/lib/rabbitmq/bin/rabbitmq-server
}

services=(mariadb memcached rabbit keystone glance placement neutron-api neutron-rpc nova-api nova-conductor
    nova-scheduler cinder-api cinder-scheduler cinder-volume heat-api heat-api-cfn heat-engine)
# Three hosts on which servers do not boot, so that anti-affinity can be satisfied.
declare -A computes=([fake]="nova-compute nova-compute-2 nova-compute-3" [libvirt]="nova-libvirt bridges libvirtd metadata")
[ -n "${computes[$compute]-}" ] || die "OPENSTACK_LAB_COMPUTE is \`fake\` or \`libvirt\`"

start_stores() {
    network
    start memcached memcached -u root -l 127.0.0.1 -p 11211 -m 64 -t 2
    printf 'loopback_users.guest = true\n' >"$lab/etc/rabbitmq.conf"
    echo '[].' >"$lab/etc/rabbitmq.plugins"
    start_rabbit
    start_database
}

start_base() {
    api keystone keystone.wsgi.api 5000 2
    wait_port 5000 keystone
}

start_rest() {
    local conf=$lab/etc host
    api glance glance.wsgi.api 9292
    api placement placement.wsgi.api 8778
    wait_port 5672 rabbit
    api neutron-api neutron.wsgi.api 9696 2
    start neutron-rpc neutron-rpc-server --config-file "$conf/neutron/neutron.conf" --config-file "$conf/neutron/ml2.ini"
    api nova-api nova.wsgi.osapi_compute 8774 2
    start nova-conductor nova-conductor --config-file "$conf/nova/nova.conf"
    start nova-scheduler nova-scheduler --config-file "$conf/nova/nova.conf"
    api heat-api heat.wsgi.api 8004
    api heat-api-cfn heat.wsgi.cfn 8000
    start heat-engine heat-engine --config-file "$conf/heat/heat.conf"
    api cinder-api cinder.wsgi.api 8776
    start cinder-scheduler cinder-scheduler --config-file "$conf/cinder/cinder.conf"
    start cinder-volume cinder-volume --config-file "$conf/cinder/cinder.conf"
    if [ "$compute" = libvirt ]; then
        api metadata nova.wsgi.metadata 169.254.169.254:80
        start_libvirt
    else
        start nova-compute nova-compute --config-file "$conf/nova/nova.conf"
        for host in 2 3; do
            start nova-compute-$host nova-compute --config-file "$conf/nova/nova.conf" --config-file "$conf/nova/host-$host.ini"
        done
    fi
    wait_port 9292 glance
    wait_port 8778 placement
    wait_port 9696 neutron-api 120
    wait_port 8774 nova-api 120
    wait_port 8776 cinder-api 120
    wait_port 8004 heat-api 120
}

manage() { # manage CMD...: with its output in log/manage.log
    (
        environment
        inside "$@"
    ) </dev/null >>"$lab/log/manage.log" 2>&1 || { tail -n 20 "$lab/log/manage.log" >&2; die "failed: $*"; }
}
