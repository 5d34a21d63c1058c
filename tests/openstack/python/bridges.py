"""Stands in for Neutron's agents where guests boot: bridges with DHCP and DNS, security groups, floating IPs."""

import ipaddress
import json
import os
import subprocess
import sys
import time

import openstack

from floating import Floating
from groups import Groups

where, lab = sys.argv[1:]
os.makedirs(where, exist_ok=True)
cloud = openstack.connect()
# The DHCP servers of each network with a bridge, and the folder of hosts of each subnet with DHCP.
ready, served = {}, {}
groups, floating = Groups(), Floating()


def ip(*words):
    return subprocess.run(["ip", *words], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def named(network):
    return "br-" + network[:11]


def dnsmasq(*words):
    own = ["--no-daemon", "--no-hosts", "--no-resolv", "--conf-file=/dev/null", "--bind-interfaces"]
    return subprocess.Popen(["dnsmasq", *own, *words])


def bridge(network):
    name = named(network.id)
    if network.id in ready:
        return name
    servers = []
    ip("link", "add", name, "type", "bridge")
    ip("link", "set", name, "up")
    for subnet in cloud.network.subnets(network_id=network.id):
        if subnet.ip_version != 4 or not subnet.gateway_ip:
            continue
        width = ipaddress.ip_network(subnet.cidr)
        ip("address", "replace", f"{subnet.gateway_ip}/{width.prefixlen}", "dev", name)
        if subnet.is_dhcp_enabled:
            hosts = os.path.join(where, subnet.id)
            os.makedirs(hosts, exist_ok=True)
            resolvers = ",".join(subnet.dns_nameservers or [lab])
            servers.append(dnsmasq(
                "--port=0", f"--interface={name}", f"--dhcp-range={width[0]},static,{width.netmask}",
                f"--dhcp-hostsdir={hosts}", f"--dhcp-option=3,{subnet.gateway_ip}", f"--dhcp-option=6,{resolvers}",
                f"--dhcp-leasefile={hosts}.leases"))
            served[subnet.id] = hosts
    ready[network.id] = servers
    return name


def clear(networks):
    """Removes the bridges of deleted networks, whose addresses another network may get."""
    for gone in set(ready) - networks:
        for server in ready.pop(gone):
            server.terminate()
            server.wait()
        ip("link", "delete", named(gone))
        print(named(gone), "is gone", flush=True)


# The name server of all guests.
dnsmasq(f"--listen-address={lab}", f"--host-record=files.lab.example,{lab}")
while True:
    try:
        taps = [it["ifname"] for it in json.loads(ip("-json", "link", "show") or b"[]")
                if it["ifname"].startswith("tap") and not it.get("master")]
        if ready:
            clear({network.id for network in cloud.network.networks()})
        if taps:
            for port in cloud.network.ports():
                tap = "tap" + port.id[:11]
                if tap not in taps:
                    continue
                name = bridge(cloud.network.get_network(port.network_id))
                for fixed in port.fixed_ips:
                    if fixed["subnet_id"] in served:
                        with open(os.path.join(served[fixed["subnet_id"]], port.id), "w") as file:
                            file.write(f"{port.mac_address},{fixed['ip_address']}\n")
                ip("link", "set", tap, "master", name, "up")
                print(tap, "is on", name, flush=True)
        if ready:
            groups.follow(cloud)
            floating.follow(cloud, bridge)
    except Exception as error:
        print(error, flush=True)
    time.sleep(1)
