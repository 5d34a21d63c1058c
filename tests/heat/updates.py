#!/usr/bin/env python3
"""Report what Heat's classes do when a property with `update_allowed` changes.

    updates.py

Changes each such property of each type by itself, there and back, and calls
the class's own `handle_update` with clients that record the calls. Omits types
that are Heat's own stacks or deployments. Prints one JSON object per change:
`type, property, before, after` (the properties), and `does`: `replaced`,
`refused: WHY`, `nothing`, or the calls to the services, except those that only
read.
"""
import copy
import json
import os
import sys
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heat_oracle as oracle  # noqa: E402
from heat.engine.resources import stack_resource  # noqa: E402
from heat.engine.resources.openstack.heat import remote_stack  # noqa: E402
from heat.engine.resources.openstack.heat import software_deployment  # noqa: E402
from heat.engine.resources.openstack.heat import test_resource  # noqa: E402
from heat.common import exception  # noqa: E402
from heat.engine import constraints, properties, resources  # noqa: E402
from heat.engine import resource, rsrc_defn, support  # noqa: E402

#: Types that Heat implements itself.
OWN = (stack_resource.StackResource, remote_stack.RemoteStack,
       software_deployment.SoftwareDeployment,
       software_deployment.SoftwareDeploymentGroup, test_resource.TestResource)

#: Prefixes of client methods that change nothing.
READS = ("get", "list", "show", "find", "is_", "check", "fetch", "ignore",
         "resolve", "keys", "items", "to_dict", "build", "translate",
         "network_id", "rate", "catch", "status", "validate", "has_", "verify",
         "interface_list", "meta_serialize", "access_list", "name_or_id")
WRITES = ("listener_set", "build_")

#: Formats that the code requires although the schema does not.
TEXTS = {"cidr": "10.%d.0.0/24", "ip_prefix": "10.%d.0.0/24",
         "destination": "10.%d.0.0/24", "nexthop": "10.0.0.%d",
         "prefixes": "10.%d.0.0/16", "gateway_ip": "10.0.0.%d",
         "FromPort": "%d", "ToPort": "%d", "CidrIp": "10.%d.0.0/24"}

#: Further changes, to values that `sample` does not return.
FURTHER = [
    ("OS::Neutron::Subnet", {"gateway_ip": "10.0.0.1"}, {"gateway_ip": "auto"}),
    ("OS::Neutron::SubnetPool", {"prefixes": ["10.1.0.0/16"]},
     {"prefixes": ["10.0.0.0/8"]}),
    ("OS::Neutron::SubnetPool", {"prefixes": ["10.0.0.0/8"]},
     {"prefixes": ["10.0.0.0/9", "11.0.0.0/8"]}),
    ("OS::Nova::Server", {"flavor": "one"},
     {"flavor": "two", "flavor_update_policy": "REPLACE"}),
    ("OS::Nova::Server", {"image": "one"},
     {"image": "two", "image_update_policy": "REPLACE"}),
    ("OS::Nova::Server", {"image": "one"},
     {"image": "two", "image_update_policy": "REBUILD_PRESERVE_EPHEMERAL"}),
    ("OS::Nova::Server", {"user_data": "one"},
     {"user_data": "two", "user_data_update_policy": "IGNORE"}),
    ("OS::Nova::Flavor", {"tenants": ["one"], "is_public": False},
     {"tenants": ["two"], "is_public": False}),
    ("OS::Cinder::VolumeType", {"projects": ["one"], "is_public": False},
     {"projects": ["two"], "is_public": False}),
]


def sample(name, schema, number):
    """Return a value that the schema accepts, different for each number."""
    given = getattr(schema, "type", schema)
    for rule in getattr(schema, "constraints", ()):
        if isinstance(rule, constraints.AllowedValues):
            value = rule.allowed[(number - 1) % len(rule.allowed)]
            return [value] if given == properties.Schema.LIST else value
    if given == properties.Schema.BOOLEAN:
        return number % 2 == 0
    if given in (properties.Schema.INTEGER, properties.Schema.NUMBER):
        for rule in getattr(schema, "constraints", ()):
            if isinstance(rule, constraints.Range) and rule.min is not None:
                return int(rule.min) + number
        return number
    if given == properties.Schema.STRING:
        return TEXTS[name] % number if name in TEXTS else "%s-%d" % (name, number)
    inner = getattr(schema, "schema", None)
    if given == properties.Schema.LIST:
        return [sample(name, inner["*"], number)] if inner else [sample(
            name, properties.Schema.STRING, number)]
    if inner and "*" not in inner:
        keys = [k for k, part in inner.items() if part.required]
        if not keys:
            keys = [k for k, part in inner.items() if part.support_status.status
                    == support.SUPPORTED and not part.immutable][:1]
        return {key: sample(key, inner[key], number) for key in keys}
    return {"key": "value-%d" % number}


class Clients:
    """Replaces all services, and records the calls to them."""

    def __init__(self, before):
        self.root = mock.MagicMock(name="services")
        plugin, client = self.root.client_plugin(), self.root.client()
        plugin.get_security_service = lambda name: mock.Mock(id=name)
        plugin.is_conflict.return_value = False
        plugin.is_client_exception.return_value = False
        client.volumes.get.return_value.size = before.get("size")
        client.volumes.get.return_value.status = "available"
        client.instances.get.return_value.status = "ACTIVE"
        client.instances.get.return_value.name = "other"
        self.root.reset_mock()

    def asked(self):
        for call in self.root.mock_calls:
            path = call[0].replace("()", "").strip(".").split(".")
            if path[0] in ("client", "client_plugin"):
                path = path[1:]
            if not path or any(part.startswith("__") for part in path):
                continue
            if path[-1].startswith(WRITES) or not path[-1].startswith(READS):
                yield path[-1]


def instance(stack, ty, given):
    # Some classes modify their arguments.
    definition = rsrc_defn.ResourceDefinition("one", ty, properties=copy.deepcopy(given))
    one = resource.Resource("one", definition, stack)
    one.resource_id = "id"
    one.properties = definition.properties(one.properties_schema, one.context)
    return one, definition


def carried_out(stack, ty, before, after):
    one, _ = instance(stack, ty, before)
    _, definition = instance(stack, ty, after)
    clients = Clients(before)
    nested = mock.MagicMock(name="nested")
    patches = {"client": clients.root.client,
               "client_plugin": clients.root.client_plugin,
               "_show_resource": mock.MagicMock(), "data": lambda: {},
               "data_set": mock.MagicMock(), "metadata_set": mock.MagicMock(),
               "resource_id_set": mock.MagicMock(), "nested": nested}
    for key in ("update_with_template", "resize", "_try_rolling_update",
                "_handle_action", "_wait", "update_assignment",
                "_update_networks", "_update_network_interfaces"):
        if hasattr(one, key):
            patches[key] = getattr(clients.root, "heat_" + key.strip("_"))
    with mock.patch.multiple(one, create=True, **patches):
        diff = mock.MagicMock()
        diff.metadata_changed.return_value = False
        diff.update_policy_changed.return_value = False
        new = definition.properties(one.properties_schema, one.context)
        old = one.properties
        for props in (new, old):
            one.translate_properties(props, client_resolve=False)
        if one.needs_replace(new):
            return "replaced"
        try:
            changed = one.update_template_diff_properties(new, old)
            if one.needs_replace_with_prop_diff(set(changed), new, old):
                return "replaced"
        except (resource.UpdateReplace, exception.NotSupported) as ex:
            return said(ex)
        try:
            cookie = one.handle_update(definition, diff, changed)
        except resource.UpdateReplace:
            return "replaced"
        except Exception as ex:  # noqa: BLE001
            return said(ex)
        for _ in range(8):
            try:
                if one.check_update_complete(cookie) is True:
                    break
            except Exception:  # the services' answers are only mocks
                break
        asked = sorted(set(clients.asked()))
    return ", ".join(asked) or "nothing"


def said(ex):
    if isinstance(ex, resource.UpdateReplace):
        return "replaced"
    return "refused: %s: %s" % (type(ex).__name__, " ".join(str(ex).split()))


def main():
    oracle.setup()
    env = resources.global_env()
    stack = oracle.build_stack({"heat_template_version": "2021-04-16"},
                               files={}, env={}, params={},
                               context=oracle.new_context())
    cases = []
    for ty in sorted(n for n in env.get_types() if "::" in n):
        cls = env.get_class(ty)
        if issubclass(cls, OWN):
            continue
        schema = properties.schemata(cls.properties_schema)
        for name, part in sorted(schema.items()):
            if part.update_allowed:
                one, two = ({name: sample(name, part, n)} for n in (1, 2))
                cases += [(ty, one, two), (ty, two, one)]
    for ty, before, after in cases + FURTHER:
        schema = properties.schemata(env.get_class(ty).properties_schema)
        needed = {n: sample(n, s, 1) for n, s in schema.items() if s.required}
        before, after = dict(needed, **before), dict(needed, **after)
        names = [n for n in after if before.get(n) != after[n]]
        print(json.dumps({
            "type": ty, "property": names[0] if names else None,
            "before": before, "after": after,
            "does": carried_out(stack, ty, before, after)}), flush=True)


if __name__ == "__main__":
    main()
