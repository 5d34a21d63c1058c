"""Stands in for Neutron's agents: rules of nftables for what security groups let through.

Bridges pass their IPv4 packets to these hooks. Packets from the lab itself to guests are not filtered."""

import subprocess

TABLE = "security-groups"


def addresses(port):
    """All addresses that a port may have."""
    return [fixed["ip_address"] for fixed in port.fixed_ips] + [pair["ip_address"] for pair in port.allowed_address_pairs or []]


def match(rule, members):
    """The nftables expression for the packets that a rule lets through; None if there are none."""
    side = "saddr" if rule["direction"] == "ingress" else "daddr"
    words = []
    if rule["remote_group_id"]:
        remote = sorted(members.get(rule["remote_group_id"], []))
        if not remote:
            return None
        words.append(f"ip {side} {{ {', '.join(remote)} }}")
    elif rule["remote_ip_prefix"]:
        words.append(f"ip {side} {rule['remote_ip_prefix']}")
    protocol, low, high = rule["protocol"], rule["port_range_min"], rule["port_range_max"]
    if protocol == "icmp":
        words.append("ip protocol icmp" if low is None else f"icmp type {low}")
        if high is not None:
            words.append(f"icmp code {high}")
    elif protocol in ("tcp", "udp") and low is not None:
        words.append(f"{protocol} dport {low}-{high}" if low != high else f"{protocol} dport {low}")
    elif protocol is not None:
        words.append(f"ip protocol {protocol}")
    return " ".join(words)


def rules(ports, groups):
    """All rules, as `nft -f` reads them."""
    ports = [port for port in ports if port.is_port_security_enabled]
    members = {}
    for port in ports:
        for group in port.security_group_ids:
            members.setdefault(group, set()).update(addresses(port))
    chains, leaving, coming = [], [], []
    for port in sorted(ports, key=lambda port: port.id):
        for way, names, side, always in [("egress", leaving, "saddr", "udp dport 67"), ("ingress", coming, "daddr", "udp sport 67")]:
            name = f"{way}-{port.id}"
            named = [rule for group in port.security_group_ids for rule in groups.get(group, [])]
            own = [match(rule, members) for rule in named if (rule["direction"], rule["ethertype"]) == (way, "IPv4")]
            passing = [always] + sorted({one for one in own if one is not None})
            chains.append(f"chain {name} {{\n" + "".join(f"  {one} return\n" for one in passing) + "  drop\n}\n")
            names += [f"  ip {side} {address} jump {name}\n" for address in addresses(port)]
    known = "ct state established,related accept"
    return (f"table ip {TABLE}\ndelete table ip {TABLE}\ntable ip {TABLE} {{\n{''.join(chains)}"
            f"chain leaving {{\n{''.join(leaving)}}}\nchain coming {{\n{''.join(coming)}}}\n"
            f"chain forward {{\n  type filter hook forward priority 0\n  {known}\n  jump leaving\n  jump coming\n}}\n"
            f"chain input {{\n  type filter hook input priority 0\n  {known}\n  jump leaving\n}}\n}}\n")


class Groups:
    """The rules in force, which follow the state of Neutron."""

    def __init__(self):
        self.held = None

    def follow(self, cloud):
        groups = {group.id: group.security_group_rules for group in cloud.network.security_groups()}
        wanted = rules(cloud.network.ports(), groups)
        if wanted != self.held:
            subprocess.run(["nft", "-f", "-"], input=wanted.encode(), check=True)
            self.held = wanted
            print("security groups hold for", wanted.count("chain egress-"), "ports", flush=True)
