#!/usr/bin/env python3
"""Validate HOT templates with the real OpenStack Heat engine, offline.

    validate.py [-e ENV.yaml]... [-P NAME=VALUE]... [--cloud INVENTORY.yaml]
                [--graph] [--json] [--fill-params] [--limits] [--quick]
                [--stdin]
                TEMPLATE...

Prints one line per template. The exit status is 1 if any template fails, and 2
for wrong usage. See README.md in this directory.
"""
import argparse
import copy
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heat_oracle as oracle  # noqa: E402
from heatclient.common import template_utils  # noqa: E402
from heatclient.common import utils as client_utils  # noqa: E402
import yaml  # noqa: E402

#: candidate values for a missing required parameter (--fill-params)
_BY_CONSTRAINT = {
    "ip_addr": "10.0.0.10", "net_cidr": "10.0.0.0/24",
    "ip_or_cidr": "10.0.0.0/24", "mac_addr": "fa:16:3e:00:00:01",
    "dns_name": "host.example.org.", "dns_domain": "example.org.",
    "rel_dns_name": "host", "cron_expression": "* * * * *",
    "timezone": "UTC", "expiration": "2099-01-01T00:00:00Z",
    "iso_8601": "PT10M", "json_string": "{}",
}
#: ... and by its name, if it is a string without constraints
_BY_NAME = (
    ("cidr", "10.0.0.0/24"), ("pool_start", "10.0.0.20"),
    ("pool_end", "10.0.0.90"), ("gateway", "10.0.0.1"),
    ("_ip", "10.0.0.10"), ("ip_", "10.0.0.10"), ("address", "10.0.0.10"),
    ("length", "8"), ("size", "10"), ("count", "2"), ("port", "8080"),
    ("vlan", "100"), ("_dns", "10.0.0.2"),
)
_STRINGS = ("oracle", "a", "10.0.0.10", "10.0.0.0/24", "1", "8080", "Abc12345",
            "Passw0rd!1", "abcdefgh", "abcdefghijklmnop", "0" * 32, "host.example.org",
            "http://host.example.org/", "admin@example.org", "2099-01-01T00:00:00Z", "1G", "")
_BY_TYPE = {
    "string": _STRINGS,
    "number": ("1", "0", "2", "10", "22", "80", "1024", "8080"),
    "boolean": ("true",),
    "json": ("{}",),
    "comma_delimited_list": ("a", "10.0.0.10", "a,b", ""),
}


def _fill(name, schema, context):
    """Return a value that the parameter's constraints accept, or None."""
    kind = schema.type.lower()
    kind = {"commadelimitedlist": "comma_delimited_list"}.get(kind, kind)
    candidates = []
    for c in schema.constraints:
        if hasattr(c, "allowed"):
            candidates += [v for v in (c.allowed or ())
                           if not isinstance(v, dict)]
        if getattr(c, "name", None) in _BY_CONSTRAINT:
            candidates.append(_BY_CONSTRAINT[c.name])
        for bound in ("min", "max"):
            limit = getattr(c, bound, None)
            if limit is not None and kind == "number":
                candidates.append(limit)
            elif limit is not None and kind == "string":
                candidates.append("a" * int(limit))
    if kind == "string" and not schema.constraints:
        candidates += [v for hint, v in _BY_NAME if hint in name.lower()]
    for value in candidates + list(_BY_TYPE.get(kind, ())):
        try:
            probe = json.loads(value) if kind == "json" else value
            schema.validate_value(
                float(probe) if kind == "number" else probe, context)
            return value
        except Exception:
            continue
    return None


class Loader:
    """The client: reads a template, environments and the files they name."""

    def __init__(self, env_paths, params, fill):
        self.params = params
        self.fill = fill
        self.env_paths = env_paths
        self.env_files, self.env = (
            template_utils.process_multiple_environments_and_files(
                env_paths=env_paths) if env_paths else ({}, {}))

    def stack(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        # Server-side checks of the raw text (format, version key, size) ...
        template = oracle.parse_text(text)
        # ... then what python-heatclient does: get_file and nested types.
        files = dict(self.env_files)
        base = client_utils.base_url_for_url(
            client_utils.normalise_file_path_to_url(path))
        template_utils.resolve_template_get_files(template, files, base)
        body = oracle.over_the_wire(
            {"template": template, "files": files, "environment": self.env,
             "parameters": self.params})
        template, files = body["template"], body["files"]
        oracle.check_template_size(template)
        context = oracle.new_context()
        params = dict(self.params)
        if self.fill:
            schemata = oracle.heat_template.Template(
                template, files=files).param_schemata()
            given = set(params)
            given.update(self.env.get("parameters") or {})
            given.update(self.env.get("parameter_defaults") or {})
            for name, schema in schemata.items():
                if name in given or not schema.required:
                    continue
                value = _fill(name, schema, context)
                if value is not None:
                    params[name] = value
        return oracle.build_stack(
            template, files=files, env=copy.deepcopy(self.env),
            params=params, context=context)


def graphs(stack):
    """Return the types and dependencies of a stack and its nested stacks."""
    out = {"types": {r.name: r.type() for r in stack.values()},
           "graph": oracle.graph(stack)}
    nested = {name: graphs(child)
              for name, child in oracle.nested_stacks(stack).items()}
    if nested:
        out["nested"] = nested
    return out


def error_text(ex):
    return " ".join(str(ex).split()) or type(ex).__name__


def check(loader, path, want_graph):
    """Validate a template. Return its record, even for a bad one."""
    began = time.perf_counter()
    out = {"file": path, "ok": False}
    try:
        stack = loader.stack(path)
        stack.validate()
        out["ok"] = True
        out["resources"] = len(stack)
        if want_graph:
            out.update(graphs(stack))
    except KeyboardInterrupt:
        raise
    except Exception as ex:  # an error of Heat, of any class
        out["error"] = type(ex).__name__
        out["message"] = error_text(ex)
    except RecursionError as ex:
        out["error"], out["message"] = "RecursionError", error_text(ex)
    out["seconds"] = round(time.perf_counter() - began, 4)
    return out


def asked(line, loader, args):
    """Return the loader and path for a line: a path, or a JSON object that can
    also have its own environments and parameters."""
    if not line.startswith("{"):
        return loader, line
    want = json.loads(line)
    params = dict(loader.params, **want.get("parameters", {}))
    return (Loader(loader.env_paths + want.get("environment", []), params,
                   args.fill_params), want["template"])


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("templates", nargs="*", metavar="TEMPLATE")
    p.add_argument("-e", "--environment", action="append", default=[])
    p.add_argument("-P", "--parameter", action="append", default=[],
                   metavar="NAME=VALUE")
    p.add_argument("--cloud", metavar="FILE",
                   help="YAML inventory; names not in it are rejected")
    p.add_argument("--graph", action="store_true",
                   help="print Heat's dependency graph (implies --json)")
    p.add_argument("--json", action="store_true",
                   help="print one JSON object per line")
    p.add_argument("--fill-params", action="store_true",
                   help="make up values for missing required parameters")
    p.add_argument("--limits", action="store_true",
                   help="enforce Heat's default size limits")
    p.add_argument("--quick", action="store_true",
                   help="for templates with many hundreds of resources: "
                        "cache the answers of Resource.has_interface()")
    p.add_argument("--stdin", action="store_true",
                   help="also read template paths from standard input, and "
                        "answer each line at once")
    args = p.parse_args(argv)
    if not args.templates and not args.stdin:
        p.error("no template given")
    params = {}
    for item in args.parameter:
        name, eq, value = item.partition("=")
        if not eq:
            p.error("parameter must be NAME=VALUE: %s" % item)
        params[name] = value
    inventory = None
    if args.cloud:
        with open(args.cloud, encoding="utf-8") as f:
            inventory = yaml.safe_load(f)
    oracle.setup(inventory=inventory, limits=args.limits)
    if args.quick:
        oracle.quick_interfaces()
    try:
        loader = Loader(args.environment, params, args.fill_params)
    except Exception as ex:
        print("environment: %s" % error_text(ex), file=sys.stderr)
        return 2

    def paths():
        yield from args.templates
        if args.stdin:
            for line in sys.stdin:
                if line.strip():
                    yield line.strip()

    failed = 0
    for path in paths():
        try:
            this, path = asked(path, loader, args)
            res = check(this, path, args.graph)
        except Exception as ex:  # in an environment
            res = {"file": path, "ok": False, "error": type(ex).__name__,
                   "message": error_text(ex), "seconds": 0}
        failed += not res["ok"]
        if args.json or args.graph:
            print(json.dumps(res, sort_keys=True))
        elif res["ok"]:
            print("ok   %s (%d resources, %.0f ms)" % (
                path, res["resources"], res["seconds"] * 1000))
        else:
            print("FAIL %s: %s: %s" % (path, res["error"], res["message"]))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
