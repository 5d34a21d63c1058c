"""Replace the cloud with stubs for the real heat.engine.

Heat's own `cloud_backend` option names `StubClients`. Custom constraints that
would ask a service ("does this image exist?") look in an optional inventory
instead, or accept any name. heat_oracle.py imports this module after it has
initialised oslo.service.
"""
import types

from heat.common import exception
from heat.engine import clients as heat_clients

#: inventory kind -> names of the constraints that it decides
INVENTORY_CONSTRAINTS = {
    "images": ("glance.image",),
    "flavors": ("nova.flavor",),
    "keypairs": ("nova.keypair",),
    "networks": ("neutron.network",),
    "subnets": ("neutron.subnet",),
    "security_groups": ("neutron.security_group",),
    "volumes": ("cinder.volume",),
    "volume_types": ("cinder.vtype",),
    "routers": ("neutron.router",),
}

INVENTORY = {}
_BIG = 1 << 40


class StubCloudError(Exception):
    """The template made Heat ask the cloud something the stub cannot know."""


class _NoClient:
    """Replaces an API client. Any call is an explicit error."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _NoClient("%s.%s" % (self._path, name))

    def __call__(self, *args, **kwargs):
        raise StubCloudError("stub cloud cannot answer %s()" % self._path)


def _lookup(kind, entity, name):
    """Return the inventory record of a name; {} if its kind is not listed."""
    known = INVENTORY.get(kind)
    if known is None:
        return {}
    if name not in known:
        raise exception.EntityNotFound(entity=entity, name=name)
    return (known[name] if isinstance(known, dict) else None) or {}


def _image(_plugin, name):
    rec = _lookup("images", "Image", name)
    return types.SimpleNamespace(
        id=name, name=name, status=rec.get("status", "active"),
        min_ram=rec.get("min_ram", 0), min_disk=rec.get("min_disk", 0))


def _flavor(_plugin, name):
    rec = _lookup("flavors", "Flavor", name)
    return types.SimpleNamespace(
        id=name, name=name, ram=rec.get("ram", _BIG),
        disk=rec.get("disk", _BIG), vcpus=rec.get("vcpus", 1))


def _same(_plugin, name, *_args, **_kwargs):
    return name


def _yes(*_args, **_kwargs):
    return True


def _subnet_net(_plugin, _subnet):
    # We cannot know whether an existing subnet belongs to a network. Heat
    # compares the networks, and an _AnyNet is equal to all of them.
    return _AnyNet()


class _AnyNet(str):
    def __eq__(self, _other):
        return True

    def __ne__(self, _other):
        return False

    __hash__ = str.__hash__


#: per client plugin: method name -> replacement
PLUGIN_METHODS = {
    "nova": {
        "get_flavor": _flavor,
        "find_flavor_by_name_or_id": _same,
        "get_max_microversion": lambda _p: "2.96",
        "absolute_limits": lambda _p: {
            "maxServerMeta": 128, "maxPersonality": 5,
            "maxPersonalitySize": 10240},
        "get_keypair": _same, "get_server": _same, "get_host": _same,
    },
    "glance": {"get_image": _image, "find_image_by_name_or_id": _same},
    "neutron": {
        "find_resourceid_by_name_or_id":
            lambda _p, _kind, name, **_k: name,
        "network_id_from_subnet_id": _subnet_net,
        "has_extension": _yes,
    },
    "octavia": {"get_pool": _same, "get_listener": _same,
                "get_loadbalancer": _same, "get_l7policy": _same,
                "get_flavor": _same},
    "cinder": {"get_max_microversion": lambda _p: "3.70"},
    # OS::Heat::Stack: the other region's Heat would check it; we accept it.
    "heat": {"_create": lambda _p, version=None: types.SimpleNamespace(
        stacks=types.SimpleNamespace(validate=lambda **_k: {}))},
    "trove": {"validate_datastore": lambda *_a, **_k: None},
    "blazar": {"has_host": _yes},
}


def _stub_plugin_class(name, real):
    body = {
        "does_endpoint_exist": _yes,
        "_create": lambda self, version=None: _NoClient(name),
    }
    if hasattr(real, "has_extension"):
        body["has_extension"] = _yes
    body.update(PLUGIN_METHODS.get(name, {}))
    return type("Stub_" + real.__name__, (real,), body)


class StubClients(heat_clients.OpenStackClients):
    """The oracle's `cloud_backend`: real plugins, without any services."""

    _classes = {}

    def client_plugin(self, name):
        if name not in self._client_plugins:
            mgr = heat_clients._mgr
            if not mgr or name not in mgr.names():
                return None
            cls = self._classes.get(name)
            if cls is None:
                cls = _stub_plugin_class(name, mgr[name].plugin)
                self._classes[name] = cls
            self._client_plugins[name] = cls(self.context)
        return self._client_plugins[name]


def _stub_constraint_class(name, real, kind):
    entity = name.split(".")[-1].capitalize()

    def validate_with_client(self, _clients, value):
        if kind and value:
            _lookup(kind, entity, value)

    return type("Stub_" + real.__name__, (real,), {
        "expected_exceptions": (exception.EntityNotFound,),
        "validate_with_client": validate_with_client,
    })


def stub_constraints(env):
    kinds = {c: k for k, cs in INVENTORY_CONSTRAINTS.items() for c in cs}
    for name, cls in list(env.constraints.items()):
        if cls.__module__.startswith("heat.engine.clients."):
            env.register_constraint(
                name, _stub_constraint_class(name, cls, kinds.get(name)))
