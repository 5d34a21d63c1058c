#!/usr/bin/env python3
"""Report what Heat really does to stacks whose templates change.

    update.py [--count N] [--first N] [--at-once N] [--no-convergence]

Generates N templates of resources that refer to one another, the same on every
run. Creates a stack from each on a simulated cloud, changes one or two things,
and updates the stack. Prints one JSON object per stack: `number, change,
before, after` (the templates), `status`, and `did`: created, replaced, updated
or deleted for each resource, and nothing for those that Heat left alone.
Unlike a preview, this shows what a change of one resource does to those that
refer to it.
"""
import argparse
import copy
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import create  # noqa: E402
import loopback  # noqa: E402


def ref(name):
    return {"get_resource": name}


class Making:
    """A template that is being generated."""

    def __init__(self, dice):
        self.dice = dice
        self.resources = {}
        self.by_kind = {}
        self.made = 0

    def some(self, kind):
        """Return the name of a resource of this kind, existing or new."""
        known = self.by_kind.get(kind, [])
        if known and self.dice.random() < 0.7:
            return self.dice.choice(known)
        return self.add(kind)

    def add(self, kind):
        name = "%s%d" % (kind, self.made)
        self.made += 1
        # The resources that it refers to come before it.
        ty, properties = getattr(self, kind)(name)
        self.resources[name] = {"type": ty, "properties": properties}
        self.by_kind.setdefault(kind, []).append(name)
        return name

    def maybe(self, chance=0.5):
        return self.dice.random() < chance

    def net(self, name):
        return "OS::Neutron::Net", {"name": name, "tenant_id": "t",
                                    "dns_domain": "a.example."}

    def subnet(self, name):
        return "OS::Neutron::Subnet", {
            "network": ref(self.some("net")), "name": name,
            "cidr": "10.1.0.0/24"}

    def security(self, name):
        return "OS::Neutron::SecurityGroup", {"name": name,
                                              "description": "a"}

    def rule(self, name):
        return "OS::Neutron::SecurityGroupRule", {
            "security_group": ref(self.some("security")), "protocol": "tcp",
            "port_range_min": 22, "port_range_max": 22}

    def port(self, name):
        subnet = self.some("subnet")
        network = self.resources[subnet]["properties"]["network"]
        properties = {"network": network, "name": name,
                      "fixed_ips": [{"subnet": ref(subnet)}]}
        if self.maybe():
            properties["security_groups"] = [ref(self.some("security"))]
        return "OS::Neutron::Port", properties

    def router(self, name):
        return "OS::Neutron::Router", {"name": name, "admin_state_up": True}

    def interface(self, name):
        return "OS::Neutron::RouterInterface", {
            "router": ref(self.some("router")),
            "subnet": ref(self.some("subnet"))}

    def floating(self, name):
        return "OS::Neutron::FloatingIP", {
            "floating_network": "public", "port_id": ref(self.some("port"))}

    def key(self, name):
        return "OS::Nova::KeyPair", {"name": name, "public_key": "ssh-rsa A"}

    def group(self, name):
        return "OS::Nova::ServerGroup", {"name": name,
                                         "policies": ["affinity"]}

    def word(self, _name):
        return "OS::Heat::RandomString", {"length": 12}

    def test(self, name):
        return "OS::Heat::TestResource", {
            "value": name, "update_replace": self.maybe()}

    def text(self):
        """Return text with values that are known once resources exist."""
        parts = ["said"]
        for _ in range(self.dice.randrange(1, 3)):
            kind = self.dice.choice(["word", "test", "net", "router", "port",
                                     "value"])
            name = self.some(kind)
            attributes = {"word": "value", "test": "output", "port": "name",
                          "value": "value"}
            if kind in attributes and self.maybe(0.6):
                parts.append({"get_attr": [name, attributes[kind]]})
            else:
                parts.append(ref(name))
        return {"list_join": [" ", parts]}

    def value(self, _name):
        return "OS::Heat::Value", {"value": self.text()}

    def volume(self, name):
        return "OS::Cinder::Volume", {"name": name, "size": 10,
                                      "availability_zone": "a"}

    def attachment(self, _name):
        return "OS::Cinder::VolumeAttachment", {
            "instance_uuid": ref(self.some("server")),
            "volume_id": ref(self.some("volume"))}

    def server(self, name):
        properties = {"name": name, "flavor": "m1.small", "image": "debian",
                      "networks": [{"port": ref(self.some("port"))}]}
        if self.maybe():
            properties["key_name"] = ref(self.some("key"))
        if self.maybe():
            properties["scheduler_hints"] = {"group": ref(self.some("group"))}
        if self.maybe():
            properties["user_data"] = self.text()
            properties["user_data_format"] = "RAW"
            if self.maybe(0.3):
                properties["user_data_update_policy"] = "IGNORE"
        if self.maybe(0.3):
            properties["metadata"] = {"of": self.text()}
        return "OS::Nova::Server", properties

    def balancer(self, name):
        return "OS::Octavia::LoadBalancer", {
            "name": name, "vip_subnet": ref(self.some("subnet"))}

    def listener(self, name):
        return "OS::Octavia::Listener", {
            "name": name, "loadbalancer": ref(self.some("balancer")),
            "protocol": "TCP", "protocol_port": 80}

    def pool(self, name):
        return "OS::Octavia::Pool", {
            "name": name, "listener": ref(self.some("listener")),
            "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN"}

    def member(self, _name):
        return "OS::Octavia::PoolMember", {
            "pool": ref(self.some("pool")), "protocol_port": 80,
            "address": {"get_attr": [self.some("server"), "first_address"]}}

    def queue(self, name):
        return "OS::Zaqar::Queue", {"name": name, "metadata": {"a": "b"}}

    def subscription(self, _name):
        return "OS::Zaqar::Subscription", {
            "queue_name": ref(self.some("queue")),
            "subscriber": "http://example.org", "ttl": 300}


#: the kinds to begin with: they have dependents, or depend on other kinds
FIRST = ["server", "server", "attachment", "interface", "floating", "member",
         "rule", "value", "subscription", "router"]

#: other literals to change to, by kind and property
OTHER = {
    "net": {"tenant_id": "u", "dns_domain": "b.example."},
    "subnet": {"cidr": "10.2.0.0/24", "name": "other"},
    "security": {"description": "b"},
    "rule": {"protocol": "udp", "port_range_max": 23},
    "port": {"name": "other", "mac_address": "fa:16:3e:00:00:01"},
    "router": {"admin_state_up": False},
    "floating": {"floating_network": "elsewhere"},
    "key": {"name": "other", "public_key": "ssh-rsa B"},
    "group": {"policies": ["anti-affinity"]},
    "word": {"length": 13},
    "test": {"value": "other"},
    "value": {"value": "other"},
    "volume": {"size": 11, "availability_zone": "b"},
    "server": {"name": "other", "flavor": "m1.large", "image": "ubuntu",
               "availability_zone": "b", "flavor_update_policy": "REPLACE"},
    "balancer": {"description": "b", "provider": "b"},
    "listener": {"name": "other", "protocol_port": 81},
    "pool": {"lb_algorithm": "SOURCE_IP", "protocol": "UDP"},
    "member": {"protocol_port": 81},
    "queue": {"name": "other", "metadata": {"a": "c"}},
    "subscription": {"ttl": 301},
}


def template(dice):
    making = Making(dice)
    for _ in range(dice.randrange(2, 4)):
        making.add(dice.choice(FIRST))
    return making


def kind_of(name):
    return name.rstrip("0123456789")


def changed(making, dice):
    """Change one or two things. Return the resources, and a description."""
    resources = copy.deepcopy(making.resources)
    what = []
    known = [n for n in sorted(resources) if kind_of(n) in OTHER]
    text = json.dumps(resources)
    read = [n for n in known if '["%s"' % n in text or ': "%s"' % n in text]
    for _ in range(dice.randrange(1, 3)):
        # Prefer a resource with dependents to one without.
        name = dice.choice(read if read and dice.random() < 0.7 else known)
        if dice.random() < 0.15:
            what.append(otherwise(name, resources[name]["properties"], dice))
            continue
        key = dice.choice(sorted(OTHER[kind_of(name)]))
        value = OTHER[kind_of(name)][key]
        resources[name]["properties"][key] = value
        if key == "flavor_update_policy":
            resources[name]["properties"]["flavor"] = "m1.large"
        what.append("%s of %s" % (key, name))
    return resources, ", ".join(what)


def otherwise(name, properties, dice):
    """Rewrite a text so that its value stays. Return a description."""
    texts = [k for k in sorted(properties) if isinstance(properties[k], str)]
    if not texts:
        return "nothing"
    key = dice.choice(texts)
    text = properties[key]
    properties[key] = dice.choice([
        {"str_replace": {"template": "@" + text[1:],
                         "params": {"@": text[:1]}}},
        {"list_join": ["", {"list_concat": [[text[:1]], [text[1:]]]}]},
        {"list_join": [",", {"str_split": [",", text]}]},
    ])
    return "another way to write %s of %s" % (key, name)


def events(heat, stack):
    _, body = heat.call("GET", "/stacks/%s/%s/events?limit=100000" % (
        stack["stack_name"], stack["id"]))
    return body["events"]


def wait(heat, names, ending, seconds):
    """Wait until no stack is in progress, or time is up. Return the stacks."""
    end = time.monotonic() + seconds
    while True:
        _, body = heat.call("GET", "/stacks")
        stacks = {s["stack_name"]: s for s in body["stacks"]
                  if s["stack_name"] in names}
        if time.monotonic() > end or all(
                s["stack_status"] in (ending + "_COMPLETE", ending + "_FAILED")
                for s in stacks.values()):
            return stacks
        time.sleep(0.3)


def did(before, after, happened):
    """Return what Heat did with each resource, according to its events."""
    out = {}
    for event in happened:
        name, status = event["resource_name"], event["resource_status"]
        if name not in before and name not in after:
            continue
        if status == "CREATE_COMPLETE":
            out[name] = "replaced" if name in before else "created"
        elif status == "UPDATE_COMPLETE":
            out.setdefault(name, "updated")
        elif status == "DELETE_COMPLETE" and name not in after:
            out[name] = "deleted"
    return out


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--count", type=int, default=30)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--at-once", type=int, default=30)
    p.add_argument("--timeout", type=float, default=300.0)
    p.add_argument("--no-convergence", action="store_true")
    args = p.parse_args(argv)
    loopback.stop_on_sigterm()
    numbers = list(range(args.first, args.first + args.count))
    options = ["--no-convergence"] * args.no_convergence
    with loopback.Loopback(options) as heat:
        for at in range(0, len(numbers), args.at_once):
            cases = {}
            for number in numbers[at:at + args.at_once]:
                dice = random.Random(number)
                making = template(dice)
                after, change = changed(making, dice)
                cases["s%d" % number] = (number, change, making.resources,
                                         after)
            for answer in run(heat, cases, args.timeout):
                print(json.dumps(answer, sort_keys=True), flush=True)


def run(heat, cases, timeout):
    """Run some cases as stacks at the same time, and return the answers."""
    def body(resources):
        return {"template": {"heat_template_version": "2021-04-16",
                             "resources": resources},
                "files": {}, "environment": {}, "timeout_mins": 10,
                "disable_rollback": True}

    answers = {name: {"number": case[0], "change": case[1],
                      "before": {"resources": case[2]},
                      "after": {"resources": case[3]}}
               for name, case in cases.items()}
    for name, case in cases.items():
        status, said = heat.call("POST", "/stacks",
                                 dict(body(case[2]), stack_name=name))
        if status != 201:
            answers[name]["error"] = create.error_of(said)
    names = [n for n in cases if "error" not in answers[n]]
    stacks = wait(heat, names, "CREATE", timeout)
    seen = {}
    for name in names:
        seen[name] = {e["id"] for e in events(heat, stacks[name])}
        status, said = heat.call(
            "PUT", "/stacks/%s/%s" % (name, stacks[name]["id"]),
            body(cases[name][3]))
        if status != 202:
            answers[name]["error"] = create.error_of(said)
    names = [n for n in names if "error" not in answers[n]]
    for name, stack in wait(heat, names, "UPDATE", timeout).items():
        happened = [e for e in reversed(events(heat, stack))
                    if e["id"] not in seen[name]]
        answers[name]["status"] = stack["stack_status"]
        if stack["stack_status"] != "UPDATE_COMPLETE":
            answers[name]["reason"] = stack["stack_status_reason"]
        answers[name]["did"] = did(*cases[name][2:], happened)
    return answers.values()


if __name__ == "__main__":
    main()
