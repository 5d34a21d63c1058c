"""Stands in for Neutron's routers: rules of nftables send packets for a floating IP on to the address behind it.

The receiver sees the gateway of its own network as the sender, so its replies go through the gateway."""

import subprocess

TABLE = "floating-ips"


def rules(pairs):
    """All rules, as `nft -f` reads them, from pairs of a floating IP and the address behind it."""
    goes = ""
    if pairs:
        named = ", ".join(f"{floating} : {fixed}" for floating, fixed in sorted(pairs))
        goes = f"dnat to ip daddr map {{ {named} }}"
    return (f"table ip {TABLE}\ndelete table ip {TABLE}\ntable ip {TABLE} {{\n"
            f"chain others {{\n  type nat hook prerouting priority -100\n  {goes}\n}}\n"
            f"chain own {{\n  type nat hook output priority -100\n  {goes}\n}}\n"
            f"chain answers {{\n  type nat hook postrouting priority 100\n  ct status dnat masquerade\n}}\n}}\n")


class Floating:
    """The rules in force, which follow the state of Neutron."""

    def __init__(self):
        self.held = None
        with open("/proc/sys/net/ipv4/ip_forward", "w") as file:
            file.write("1")

    def follow(self, cloud, bridge):
        """Updates the rules. `bridge` returns the bridge of a network."""
        there = [it for it in cloud.network.ips() if it.port_id]
        for network in {it.floating_network_id for it in there}:
            bridge(cloud.network.get_network(network))
        wanted = rules([(it.floating_ip_address, it.fixed_ip_address) for it in there])
        if wanted != self.held:
            subprocess.run(["nft", "-f", "-"], input=wanted.encode(), check=True)
            self.held = wanted
            print("floating IPs stand for", len(there), "addresses", flush=True)
