# shellcheck shell=bash disable=SC2154
# Writes the configuration of each service, on each `up`.
# Sourced by `lab`, which sets the variables used here.

authtoken() { # authtoken USER
    cat <<END
[keystone_authtoken]
www_authenticate_uri = http://$ip:5000/v3
auth_url = http://$ip:5000/v3
memcached_servers = 127.0.0.1:11211
auth_type = password
username = $1
password = $password
project_name = service
user_domain_name = Default
project_domain_name = Default
service_token_roles = service
service_token_roles_required = true
END
}

client() { # client SECTION USER: how a service speaks to another
    cat <<END
[$1]
auth_type = password
auth_url = http://$ip:5000/v3
username = $2
password = $password
project_name = service
user_domain_name = Default
project_domain_name = Default
region_name = RegionOne
END
}

database() { # database NAME [SECTION]
    printf '[%s]\nconnection = mysql+pymysql://lab:%s@127.0.0.1:3306/%s?charset=utf8mb4\nmax_pool_size = 5\n' \
        "${2:-database}" "$password" "$1"
}

common() { # common NAME: the first lines of [DEFAULT], and sections that all have
    cat <<END
[oslo_concurrency]
lock_path = $lab/state/$1/lock
[oslo_messaging_rabbit]
rabbit_quorum_queue = false
heartbeat_in_pthread = false
[oslo_policy]
enforce_scope = true
enforce_new_defaults = true
[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:5672/
state_path = $lab/state/$1
host = lab
END
}

configuration() {
    local etc=$lab/etc name host
    mkdir -p "$lab"/{run,log,home} "$lab"/state/{keystone,glance,placement,nova,neutron,heat,cinder}
    for name in keystone glance placement nova neutron heat cinder; do
        mkdir -p "$etc/$name"
        ln -sfn "../etc/$name" "$lab/home/.$name"
        if [ -d "$venv/etc/$name" ]; then cp -r "$venv/etc/$name/." "$etc/$name/"; fi
    done

    {
        database keystone
        cat <<END
[token]
provider = fernet
[fernet_tokens]
key_repository = $lab/state/keystone/fernet
[fernet_receipts]
key_repository = $lab/state/keystone/receipts
[credential]
key_repository = $lab/state/keystone/credential
[cache]
enabled = true
backend = dogpile.cache.pymemcache
memcache_servers = 127.0.0.1:11211
[oslo_policy]
enforce_scope = true
enforce_new_defaults = true
END
    } >"$etc/keystone/keystone.conf"

    {
        common glance
        cat <<END
bind_host = 0.0.0.0
enabled_backends = files:file
show_multiple_locations = false
workers = 1
[glance_store]
default_backend = files
[files]
filesystem_store_datadir = $lab/state/glance/images
[os_glance_staging_store]
filesystem_store_datadir = $lab/state/glance/staging
[os_glance_tasks_store]
filesystem_store_datadir = $lab/state/glance/tasks
[paste_deploy]
flavor = keystone
config_file = $etc/glance/glance-api-paste.ini
END
        database glance
        authtoken glance
    } >"$etc/glance/glance-api.conf"
    mkdir -p "$lab"/state/glance/{images,staging,tasks}

    {
        printf '[api]\nauth_strategy = keystone\n'
        database placement placement_database
        authtoken placement
    } >"$etc/placement/placement.conf"

    {
        common nova
        cat <<END
my_ip = $ip
compute_driver = openstack_lab.Driver
force_config_drive = true
allow_resize_to_same_host = true
instance_usage_audit = false
vif_plugging_timeout = 0
vif_plugging_is_fatal = false
metadata_workers = 1
[api]
auth_strategy = keystone
[wsgi]
api_paste_config = $etc/nova/api-paste.ini
[vnc]
enabled = false
[glance]
region_name = RegionOne
[conductor]
workers = 1
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 60
[filter_scheduler]
track_instance_changes = true
[service_user]
send_service_user_token = true
END
        client service_user nova | tail -n +2
        database nova_api api_database
        database nova_cell1 database
        authtoken nova
        client placement placement
        client neutron neutron
        client cinder nova | sed 's/^region_name/os_region_name/'
    } >"$etc/nova/nova.conf"
    for host in 2 3; do
        cat >"$etc/nova/host-$host.ini" <<END
[DEFAULT]
host = lab-$host
state_path = $lab/state/nova-$host
[oslo_concurrency]
lock_path = $lab/state/nova-$host/lock
END
        mkdir -p "$lab/state/nova-$host"
    done
    mkdir -p "$lab/state/nova-libvirt/instances"
    cat >"$etc/nova/libvirt.ini" <<END
[DEFAULT]
host = lab-libvirt
state_path = $lab/state/nova-libvirt
compute_driver = libvirt.LibvirtDriver
# The image decides.
force_config_drive = false
reserved_host_memory_mb = 0
cpu_allocation_ratio = 64
ram_allocation_ratio = 4
disk_allocation_ratio = 16
mkisofs_cmd = genisoimage
[oslo_concurrency]
lock_path = $lab/state/nova-libvirt/lock
[libvirt]
virt_type = $virt
connection_uri = qemu:///system?socket=$lab/run/libvirt/libvirt-sock
cpu_mode = none
# Debian's kernel for clouds finds no drive on the SATA of q35, so no config drive either.
hw_machine_type = x86_64=pc
images_type = qcow2
disk_cachemodes = file=unsafe
[nova_sys_admin]
helper_command = $venv/bin/privsep-helper --config-file $etc/nova/nova.conf --config-file $etc/nova/libvirt.ini
[vif_plug_ovs_privileged]
helper_command = $venv/bin/privsep-helper --config-file $etc/nova/nova.conf --config-file $etc/nova/libvirt.ini
[privsep_osbrick]
helper_command = $venv/bin/privsep-helper --config-file $etc/nova/nova.conf --config-file $etc/nova/libvirt.ini
END

    {
        common neutron
        cat <<END
core_plugin = ml2
dns_domain = lab.example.
service_plugins = router,qos,segments,network_ip_availability,auto_allocate,port_forwarding
auth_strategy = keystone
api_workers = 1
rpc_workers = 1
rpc_state_report_workers = 0
notify_nova_on_port_status_changes = true
notify_nova_on_port_data_changes = true
api_paste_config = $etc/neutron/api-paste.ini
router_distributed = false
END
        database neutron
        authtoken neutron
        client nova nova
        client placement placement
    } >"$etc/neutron/neutron.conf"
    cat >"$etc/neutron/ml2.ini" <<END
[ml2]
type_drivers = local,flat
tenant_network_types = local
mechanism_drivers = lab
extension_drivers = port_security,qos,dns
[ml2_type_flat]
flat_networks = *
END

    {
        common heat
        cat <<END
heat_metadata_server_url = http://$ip:8000
heat_waitcondition_server_url = http://$ip:8000/v1/waitcondition
stack_user_domain_name = heat
stack_domain_admin = heat_domain_admin
stack_domain_admin_password = $password
auth_encryption_key = 0123456789abcdef0123456789abcdef
region_name_for_services = RegionOne
num_engine_workers = 2
deferred_auth_method = trusts
[paste_deploy]
api_paste_config = $etc/heat/api-paste.ini
[clients_keystone]
auth_uri = http://$ip:5000
[ec2authtoken]
auth_uri = http://$ip:5000/v3
[trustee]
auth_type = password
auth_url = http://$ip:5000
username = heat
password = $password
user_domain_name = Default
END
        database heat
        authtoken heat
    } >"$etc/heat/heat.conf"

    {
        common cinder
        cat <<END
my_ip = $ip
auth_strategy = keystone
api_paste_config = $etc/cinder/api-paste.ini
resource_query_filters_file = $etc/cinder/resource_filters.json
enabled_backends = fake
glance_api_servers = http://$ip:9292
osapi_volume_workers = 1
[fake]
volume_driver = cinder.tests.fake_driver.FakeLoggingVolumeDriver
volume_backend_name = fake
[service_user]
send_service_user_token = true
END
        client service_user cinder | tail -n +2
        database cinder
        authtoken cinder
        client nova nova
    } >"$etc/cinder/cinder.conf"
}
