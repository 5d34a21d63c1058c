# shellcheck shell=bash disable=SC2154
# The data that services need before any of them answers: databases, users, the catalogue, flavors and networks.
# Sourced by `lab`, which sets the variables used here.

databases() {
    local name
    for name in keystone glance placement nova_api nova_cell0 nova_cell1 neutron heat cinder; do
        echo "create database if not exists $name character set utf8mb4;"
    done | sql
    sql -e "create user if not exists lab@'127.0.0.1' identified by '$password'; grant all on *.* to lab@'127.0.0.1';"
    local -a jobs=()
    manage neutron-db-manage --config-file "$lab/etc/neutron/neutron.conf" --config-file "$lab/etc/neutron/ml2.ini" upgrade heads &
    jobs+=($!)
    manage keystone-manage db_sync
    manage keystone-manage fernet_setup --keystone-user root --keystone-group root
    manage keystone-manage credential_setup --keystone-user root --keystone-group root
    manage keystone-manage bootstrap --bootstrap-password "$password" --bootstrap-region-id RegionOne \
        --bootstrap-admin-url "http://$ip:5000/v3" --bootstrap-internal-url "http://$ip:5000/v3" \
        --bootstrap-public-url "http://$ip:5000/v3"
    (
        manage placement-manage db sync
        manage nova-manage api_db sync
        manage nova-manage cell_v2 map_cell0 --database_connection \
            "mysql+pymysql://lab:$password@127.0.0.1:3306/nova_cell0?charset=utf8mb4"
        if [ "$(sql -N -e 'select count(*) from nova_api.cell_mappings where name = "cell1"')" = 0 ]; then
            manage nova-manage cell_v2 create_cell --name cell1
        fi
        manage nova-manage db sync
    ) &
    jobs+=($!)
    (
        manage glance-manage db_sync
        manage heat-manage db_sync
        manage cinder-manage db sync
    ) &
    jobs+=($!)
    local job
    for job in "${jobs[@]}"; do wait "$job"; done
}

identity() {
    as admin admin "$py" "$here/python/identity.py" "$ip" "$password"
}

inventory() {
    as admin admin "$py" "$here/python/inventory.py"
    manage nova-manage cell_v2 discover_hosts
}
