"""Creates flavors, networks, images and a volume type, removes the limits of quotas, and waits for a host."""

import time

import openstack

cloud = openstack.connect()
# A server can be resized back and forth only between flavors with disks of the same size.
sizes = {"m1.tiny": (1, 512, 1), "m1.small": (1, 1024, 4), "m1.medium": (2, 2048, 4), "m1.large": (2, 4096, 16)}
# Nova lists flavors by ID, so the smallest one comes first.
for number, (name, (cpus, memory, disk)) in enumerate(sizes.items(), 1):
    if not cloud.compute.find_flavor(name):
        cloud.compute.create_flavor(id=str(number), name=name, vcpus=cpus, ram=memory, disk=disk)
demo = cloud.identity.find_project("demo")
network = cloud.network
if not network.find_network("public"):
    public = network.create_network(
        name="public", is_router_external=True, provider_network_type="flat", provider_physical_network="public")
    network.create_subnet(name="public", network_id=public.id, ip_version=4, cidr="10.78.0.0/24",
                          gateway_ip="10.78.0.1", enable_dhcp=False)
if not network.find_network("private"):
    private = network.create_network(name="private", project_id=demo.id)
    network.create_subnet(name="private", network_id=private.id, project_id=demo.id, ip_version=4, cidr="10.79.0.0/24",
                          gateway_ip="10.79.0.1", dns_nameservers=["10.77.0.1"], enable_dhcp=False)
for it in [demo, cloud.identity.find_project("admin")]:
    cloud.set_compute_quotas(it.id, cores=-1, instances=-1, ram=-1, key_pairs=-1)
    cloud.set_network_quotas(it.id, network=-1, port=-1, subnet=-1, router=-1, security_group=-1, security_group_rule=-1,
                             floatingip=-1)
    cloud.set_volume_quotas(it.id, volumes=-1, gigabytes=-1)
for name in ["debian-12", "debian-13"]:
    if not cloud.image.find_image(name):
        cloud.create_image(name, data=b"\0" * 512, disk_format="raw", container_format="bare", visibility="public",
                           wait=True)
if not cloud.block_storage.find_type("fast"):
    cloud.block_storage.create_type(name="fast")

deadline = time.monotonic() + 60
while not [it for it in cloud.compute.services(binary="nova-compute") if it.state == "up"]:
    assert time.monotonic() < deadline, "nova-compute is not up"
    time.sleep(0.3)
