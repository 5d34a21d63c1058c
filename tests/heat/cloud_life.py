"""Create a site with openstacksdk, change it, and delete it. The argument is the URL of the cloud's identity service.

Standard output: a JSON object with what was observed. The tool fails at the first response that the client cannot understand.
"""
import base64
import json
import sys
import time

import openstack
from openstack import exceptions

seen = {}


def refused(what, call):
    """Make a request that the cloud must refuse, and record its error in `seen`; None if it succeeds."""
    try:
        call()
    except exceptions.HttpException as error:
        seen[what] = [error.status_code, str(error.details or error.message)]
    else:
        seen[what] = None


def main(url):
    cloud = openstack.connect(
        auth_url=url, username='demo', password='demo', project_name='demo', user_domain_id='default',
        project_domain_id='default', region_name='RegionOne', compute_default_microversion='2.79',
    )
    image = cloud.image.find_image('debian-12')
    flavor = cloud.compute.find_flavor('m1.small')
    public = cloud.network.find_network('public')
    seen['image'] = image.name
    seen['flavor'] = flavor.ram

    network = cloud.network.create_network(name='net', description='mark')
    subnet = cloud.network.create_subnet(network_id=network.id, ip_version=4, cidr='10.0.0.0/24', name='sub')
    group = cloud.network.create_security_group(name='web', description='mark')
    rule = dict(security_group_id=group.id, direction='ingress', protocol='tcp', port_range_min=80, port_range_max=80)
    cloud.network.create_security_group_rule(**rule)
    refused('the same rule', lambda: cloud.network.create_security_group_rule(**rule))
    port = cloud.network.create_port(network_id=network.id, security_groups=[group.id], description='mark')
    router = cloud.network.create_router(name='r', external_gateway_info={'network_id': public.id})
    cloud.network.add_interface_to_router(router, subnet_id=subnet.id)
    floating = cloud.network.create_ip(floating_network_id=public.id, port_id=port.id)
    seen['address'] = port.fixed_ips[0]['ip_address']
    seen['floating'] = floating.status
    cloud.network.set_tags(port, ['one', 'two'])
    seen['tagged'] = [one.id == port.id for one in cloud.network.ports(tags='one,two')]

    key = cloud.compute.create_keypair(name='k', public_key='ssh-ed25519 AAAA k')
    servers = cloud.compute.create_server_group(name='g', policy='anti-affinity')
    volume = cloud.block_storage.create_volume(size=1, name='v', metadata={'mark': 'm'})
    cloud.block_storage.wait_for_status(volume, 'available', interval=0.1, wait=30)
    server = cloud.compute.create_server(
        name='web', flavor_id=flavor.id, image_id=image.id, networks=[{'port': port.id}], key_name='k', tags=['mark'],
        user_data=base64.b64encode(b'#!/bin/sh\n').decode(), scheduler_hints={'group': servers.id},
    )
    server = cloud.compute.wait_for_server(server, interval=0.1, wait=30)
    seen['server'] = server.status
    seen['addresses'] = sorted(one['addr'] for one in server.addresses['net'])
    seen['member'] = cloud.compute.get_server_group(servers.id).member_ids == [server.id]
    seen['listed'] = [one.id == server.id for one in cloud.compute.servers(tags='mark')]
    cloud.compute.create_volume_attachment(server, volume_id=volume.id)
    seen['volume'] = cloud.block_storage.get_volume(volume.id).status
    refused('a volume that is in use', lambda: cloud.block_storage.delete_volume(volume, ignore_missing=False))
    refused('a network that is in use', lambda: cloud.network.delete_network(network, ignore_missing=False))
    refused('a group that is in use', lambda: cloud.network.delete_security_group(group, ignore_missing=False))

    cloud.compute.resize_server(server, cloud.compute.find_flavor('m1.medium').id)
    cloud.compute.wait_for_server(server, 'VERIFY_RESIZE', interval=0.1, wait=30)
    cloud.compute.confirm_server_resize(server)
    cloud.compute.wait_for_server(server, interval=0.1, wait=30)
    cloud.compute.rebuild_server(server, image=cloud.image.find_image('debian-13').id)
    server = cloud.compute.wait_for_server(server, interval=0.1, wait=30)
    seen['rebuilt'] = [server.status, cloud.image.get_image(server.image.id).name]

    cloud.compute.delete_volume_attachment(server, volume.id)
    cloud.compute.delete_server(server)
    cloud.compute.wait_for_delete(server, interval=0.1, wait=30)
    cloud.block_storage.delete_volume(volume)
    cloud.block_storage.wait_for_delete(volume, interval=0.1, wait=30)
    cloud.compute.delete_server_group(servers)
    cloud.compute.delete_keypair(key)
    cloud.network.delete_ip(floating)
    cloud.network.remove_interface_from_router(router, subnet_id=subnet.id)
    cloud.network.delete_router(router, ignore_missing=False)
    cloud.network.delete_port(port, ignore_missing=False)
    cloud.network.delete_security_group(group, ignore_missing=False)
    cloud.network.delete_network(network, ignore_missing=False)
    time.sleep(0.2)
    left = {
        'servers': cloud.compute.servers(), 'keys': cloud.compute.keypairs(), 'groups': cloud.compute.server_groups(),
        'volumes': cloud.block_storage.volumes(), 'ports': cloud.network.ports(), 'routers': cloud.network.routers(),
        'networks': cloud.network.networks(description='mark'), 'addresses': cloud.network.ips(),
    }
    seen['left'] = {what: [one.name for one in things] for what, things in left.items()}
    json.dump(seen, sys.stdout)


main(sys.argv[1])
