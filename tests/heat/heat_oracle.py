"""Run the real heat.engine in this process, without any OpenStack service.

These parts are real: the parsing of templates and environments, intrinsic
functions, the validation of parameters and properties, constraints that need
no cloud, nested and provider templates, the dependency graph, and (for
`create`) the resource state machine.

The cloud is a stub (stub_cloud.py).
"""
import os
import warnings

warnings.simplefilter("ignore")
os.environ.setdefault("PYTHONWARNINGS", "ignore")

from oslo_service import backend  # noqa: E402

backend.init_backend(backend.BackendType.THREADING)

from oslo_config import cfg  # noqa: E402
from oslo_db import options as db_options  # noqa: E402
from oslo_log import log as oslo_logging  # noqa: E402
from oslo_serialization import jsonutils  # noqa: E402

from heat.common import config as heat_config  # noqa: E402,F401
from heat.common import context as heat_context  # noqa: E402
from heat.common import environment_util  # noqa: E402
from heat.common import exception  # noqa: E402
from heat.common import messaging  # noqa: E402
from heat.common import template_format  # noqa: E402
from heat.common import wsgi as heat_wsgi  # noqa: E402
from heat.engine import environment  # noqa: E402
from heat.engine import resource as heat_resource  # noqa: E402
from heat.engine import resources as heat_resources  # noqa: E402
from heat.engine.resources import stack_resource  # noqa: E402
from heat.engine import stack as heat_stack  # noqa: E402
from heat.engine import template as heat_template  # noqa: E402
from heat.objects import service as service_objects  # noqa: E402

import stub_cloud  # noqa: E402

_ready = False


def setup(inventory=None, limits=False, log_level="CRITICAL",
          db="sqlite://"):
    """Set up the engine, once per process. This takes about one second."""
    global _ready
    stub_cloud.INVENTORY.clear()
    stub_cloud.INVENTORY.update(inventory or {})
    if _ready:
        return
    _ready = True
    oslo_logging.register_options(cfg.CONF)
    cfg.CONF([], project="heat", default_config_files=[],
             default_config_dirs=[])
    here = os.path.dirname(os.path.abspath(__file__))
    nowhere = os.path.join(here, "no-such-dir")
    for opt, value in (("environment_dir", nowhere),
                       ("template_dir", nowhere),
                       ("cloud_backend", "stub_cloud.StubClients")):
        cfg.CONF.set_override(opt, value)
    enforce_limits(limits)
    db_options.set_defaults(cfg.CONF, connection=db)
    import logging
    logging.disable(getattr(logging, log_level))
    messaging.setup("fake://", optional=True)
    stub_cloud.stub_constraints(heat_resources.global_env())
    # external_id: only the cloud knows whether the resource exists.
    heat_resource.Resource.validate_external = lambda self: None
    # ResourceChain reads the number of engines from the database.
    service_objects.Service.active_service_count = classmethod(
        lambda cls, context: 1)


def enforce_limits(on):
    """Enforce Heat's default size limits, or lift them."""
    for opt, free in (("max_resources_per_stack", -1),
                      ("max_json_body_size", 1 << 31),
                      ("max_template_size", 1 << 31)):
        if on:
            cfg.CONF.clear_override(opt)
        else:
            cfg.CONF.set_override(opt, free)


def quick_interfaces():
    """Cache the answers of Resource.has_interface() by type.

    Heat itself asks the registry for every pair of resources, which takes most
    of the time for a stack of 1,000 servers. The answers are the same: if the
    environment maps single resources by name, the real method is called."""
    real = heat_resource.Resource.has_interface
    if getattr(real, "quick", False):
        return

    def has_interface(self, resource_type):
        env = self.stack.env
        if env.registry._registry.get("resources"):
            return real(self, resource_type)
        known = env.__dict__.setdefault("_oracle_interfaces", {})
        key = (self.type(), resource_type)
        if key not in known:
            known[key] = real(self, resource_type)
        return known[key]

    has_interface.quick = True
    heat_resource.Resource.has_interface = has_interface


_KEEP = []


def create_schema(threads=False):
    """Create Heat's tables (needed only to store or create stacks).

    With `threads`, the engine's many threads can share a SQLite file: every
    transaction waits for the write lock, and takes it when it begins.
    """
    import sqlite3
    import sqlalchemy
    from heat.db import api as db_api
    from heat.db import models
    engine = db_api.get_engine()
    if threads:
        def connect(connection, _record):
            connection.execute("PRAGMA busy_timeout=60000")
            connection.execute("PRAGMA synchronous=OFF")

        def begin(connection):
            if not connection.connection.dbapi_connection.in_transaction:
                connection.exec_driver_sql("BEGIN IMMEDIATE")

        sqlalchemy.event.listen(engine, "connect", connect)
        for listener in list(engine.dispatch.begin):
            sqlalchemy.event.remove(engine, "begin", listener)  # oslo.db's
        sqlalchemy.event.listen(engine, "begin", begin)
        engine.dispose()
        # Stays open, so that SQLite does not delete the log between uses.
        keep = sqlite3.connect(engine.url.database, check_same_thread=False)
        keep.execute("PRAGMA journal_mode=WAL")
        _KEEP.append(keep)
    models.BASE.metadata.create_all(engine)


def new_context(roles=("admin", "member", "heat_stack_owner")):
    return heat_context.RequestContext.from_dict({
        "tenant_id": "0" * 32, "tenant": "oracle",
        "username": "oracle", "user_id": "1" * 32, "password": "unused",
        "roles": list(roles), "is_admin": False,
        "auth_url": "http://localhost:5000/v3", "auth_token": "unused",
    })


def build_stack(template, files=None, env=None, env_files=None, params=None,
                name="oracle", context=None, **stack_args):
    """Build a stack as heat.engine.service does before it stores one."""
    context = context or new_context()
    files = files or {}
    merged = {"parameters": {}, "parameter_defaults": {},
              "resource_registry": {}, "encrypted_param_names": [],
              "event_sinks": []}
    for section, value in (env or {}).items():
        merged[section] = value
    merged["parameters"] = dict(merged["parameters"], **(params or {}))
    tmpl = heat_template.Template(template, files=files)
    environment_util.merge_environments(
        env_files, files, merged, tmpl.all_param_schemata(files))
    tmpl.env = environment.Environment(merged)
    tmpl.validate()
    limit = cfg.CONF.max_resources_per_stack
    if limit != -1 and len(tmpl[tmpl.RESOURCES]) > limit:
        raise exception.RequestLimitExceeded(
            message=exception.StackResourceLimitExceeded.msg_fmt)
    stack = heat_stack.Stack(context, name, tmpl, **stack_args)
    # The context owns the client plugins through weak references.
    stack.oracle_context = context
    return stack


def over_the_wire(body):
    """Return a request body as the server reads it, with its size limit."""
    return heat_wsgi.JSONRequestDeserializer().from_json(
        jsonutils.dumps(body))


def check_template_size(template):
    """Check the length of the template's Python representation, as heat-api
    does for a template that arrives parsed (as from python-heatclient)."""
    template_format.validate_template_limit(str(template))


def graph(stack):
    """Return {resource: sorted names it requires}, from stack.dependencies."""
    deps = stack.dependencies
    return {res.name: sorted(r.name for r in deps.requires(res))
            for res in stack.values()}


def nested_stacks(stack):
    """Return {resource name: Stack} for resources that are nested stacks."""
    # The name of a stack must begin with a letter.
    return {res.name: res._parse_nested_stack(
                "nested-" + res.name, res.child_template(),
                res.child_params())
            for res in stack.values()
            if isinstance(res, stack_resource.StackResource)}


parse_text = template_format.parse
