"""Simulate a cloud for the real Heat engine.

Every OS:: resource type that would call a service keeps its real class
(schema, validation, dependencies, state machine), but its life cycle is
simulated here: a resource becomes complete after a given delay, and its
attributes get made-up values. OS::Nova::Server goes further: its real
handle_create() calls a Nova that records the requests, so that tests can
inspect the exact user_data that Nova would get.
"""
import itertools
import json
import os
import threading
import time
import types
import uuid

import heat_oracle as oracle
import stub_cloud
from heat.common import exception
from heat.engine import environment
from heat.engine.clients.os.keystone import fake_keystoneclient

_lock = threading.Lock()
_ip = itertools.count(1)
DELAYS = {}
DEFAULT_DELAY = 0.0
#: a file with the names of resources that a stack check does not find
MISSING = None
_trace = None


def trace(**record):
    if _trace is not None:
        record["t"] = round(time.time(), 3)
        with _lock:
            _trace.write(json.dumps(record, sort_keys=True) + "\n")
            _trace.flush()


def _address():
    with _lock:
        n = next(_ip)
    return "10.%d.%d.%d" % (100 + n // 65536, n // 256 % 256, n % 256)


class _Servers:
    def create(self, **kwargs):
        server = types.SimpleNamespace(id=str(uuid.uuid4()), status="ACTIVE")
        trace(call="nova.servers.create", id=server.id,
              **{k: v for k, v in kwargs.items() if v is not None})
        return server


class _Neutron:
    """Answers create_port({'port': {...}}) -> {'port': {'id': ...}}, etc."""

    def __getattr__(self, name):
        verb, _, kind = name.partition("_")
        if verb not in ("create", "show", "update", "delete"):
            raise AttributeError(name)

        def call(*args):
            body = args[-1] if args and isinstance(args[-1], dict) else {}
            trace(call="neutron." + name, args=list(args))
            rec = dict(body.get(kind, {}))
            rec.setdefault("id", str(uuid.uuid4()))
            return {kind: rec}
        return call


#: types whose physical ID is their name
NAMED = ("OS::Nova::KeyPair", "OS::Swift::Container", "OS::Zaqar::Queue")


class _Life:
    """The simulated life cycle, a mixin that comes before the real class."""

    def _sim_delay(self):
        return DELAYS.get(self.type(), DEFAULT_DELAY)

    def handle_create(self):
        named = self.type() in NAMED and self.properties["name"]
        self.resource_id_set(named or str(uuid.uuid4()))
        trace(call="create", type=self.type(), name=self.name,
              stack=self.stack.name)
        return time.time() + self._sim_delay()

    def check_create_complete(self, cookie):
        return cookie is None or time.time() >= cookie

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        trace(call="update", type=self.type(), name=self.name,
              stack=self.stack.name, keys=sorted(prop_diff))

    def check_update_complete(self, _cookie):
        return True

    def handle_delete(self):
        trace(call="delete", type=self.type(), name=self.name,
              stack=self.stack.name)

    def check_delete_complete(self, _cookie):
        return True

    def handle_check(self):
        if MISSING and os.path.exists(MISSING):
            with open(MISSING, encoding="utf-8") as names:
                if self.name in names.read().split():
                    raise exception.NotFound("%s is not there" % self.name)

    def prepare_for_replace(self):
        return None

    def restore_prev_rsrc(self, convergence=False):
        return None

    def add_parent_dependencies(self, *_args):
        return None

    def get_live_state(self, _properties):
        return {}

    def _show_resource(self):
        return {"id": self.resource_id, "name": self.name}

    def _resolve_any_attribute(self, name):
        return self._resolve_attribute(name)

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == "show":
            return self._show_resource()
        if name == "fixed_ips" and self.type() == "OS::Neutron::Port":
            return [{"ip_address": self._resolve_attribute("ip_address"),
                     "subnet_id": str(uuid.uuid4())}]
        if "address" in name and name != "addresses":
            if not self.data().get("sim_ip"):
                self.data_set("sim_ip", _address())
            return self.data().get("sim_ip")
        schema = self.attributes_schema.get(name)
        kind = getattr(schema, "type", None)
        return {"Map": {}, "List": [], "Integer": 0, "Number": 0,
                "Boolean": True}.get(kind, "%s.%s" % (self.name, name))


class _ServerLife(_Life):
    def handle_create(self):
        super(_Life, self).handle_create()  # the real one
        return time.time() + self._sim_delay()

    def _resolve_attribute(self, name):
        if name in ("networks", "addresses", "first_address"):
            if self.resource_id is None:
                return None if name == "first_address" else {}
            if not self.data().get("sim_ip"):
                self.data_set("sim_ip", _address())
            ip = self.data().get("sim_ip")
            nets = [n.get("network") or n.get("port") or "net"
                    for n in (self.properties["networks"] or [{}])]
            return {"first_address": ip,
                    "networks": {n: [ip] for n in nets},
                    "addresses": {n: [{"addr": ip, "version": 4,
                                       "port": None}] for n in nets}}[name]
        return super()._resolve_attribute(name)


def _stored_owner(context):
    context._keystone_loaded = True
    context.roles = ["member", "reader", "heat_stack_owner"]
    context.user_domain_id = context.project_domain_id = "default"


def setup(delays=None, default_delay=0.0, trace_file=None, **oracle_args):
    """Call oracle.setup(), then replace the life cycles."""
    global DEFAULT_DELAY, _trace
    oracle.setup(**oracle_args)
    DELAYS.update(delays or {})
    DEFAULT_DELAY = default_delay
    _trace = trace_file
    stub_cloud.PLUGIN_METHODS["nova"]["_create"] = (
        lambda _p, version=None: types.SimpleNamespace(servers=_Servers()))
    stub_cloud.PLUGIN_METHODS["neutron"]["_create"] = (
        lambda _p, version=None: _Neutron())
    stub_cloud.PLUGIN_METHODS["keystone"] = {
        "_create": lambda p, version=None:
            fake_keystoneclient.FakeKeystoneClient(context=p.context)}
    stub_cloud.PLUGIN_METHODS.pop("heat", None)
    stub_cloud.StubClients._classes.clear()
    # The owner of a stored stack, as Keystone would report it.
    oracle.heat_context.StoredContext._load_keystone_data = _stored_owner
    registry = oracle.heat_resources.global_env().registry
    for name, info in sorted(registry._registry.items()):
        if not (isinstance(info, environment.ClassResourceInfo)
                and name.startswith("OS::")
                and not name.startswith("OS::Heat::")):
            continue
        real = info.get_class()
        if not real.default_client_name:
            continue
        life = _ServerLife if name == "OS::Nova::Server" else _Life
        registry._registry[name].value = type(
            "Sim" + real.__name__, (life, real), {"__doc__": real.__doc__})


def anyone_filter_factory(_global_conf, **_local_conf):
    """Return a paste filter like heat.common.noauth, but with the roles that
    Heat's default policies require."""
    def wrap(app):
        def call(env, start_response):
            project = env.get("PATH_INFO", "").split("/")[2:3] or ["oracle"]
            user = env.get("HTTP_X_AUTH_USER", "oracle")
            env.update({
                "HTTP_X_IDENTITY_STATUS": "Confirmed",
                "HTTP_X_PROJECT_ID": project[0],
                "HTTP_X_PROJECT_NAME": project[0],
                "HTTP_X_USER_ID": user, "HTTP_X_USER_NAME": user,
                "HTTP_X_ROLES": "member,reader,heat_stack_owner",
                "HTTP_X_AUTH_USER": user, "HTTP_X_AUTH_KEY": "unset",
                "HTTP_X_AUTH_URL": "http://localhost:5000/v3",
            })
            return app(env, start_response)
        return call
    return wrap
