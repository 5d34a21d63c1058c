#!/usr/bin/env python3
"""Dump all resource types of the real Heat engine as compact JSON.

    dump_types.py [-o resource-types.json] [--prefix OS::]

Types are sorted by name; properties and attributes are in Heat's own order.
The format is terse, and an absent key has the usual value.
  {"heat": version, "types": {TYPE: {
     "status":  support status, unless it is SUPPORTED
     "since":   first release that supports it
     "message": text of the support status
     "doc":     first paragraph of the class's docstring
     "service": name of its client in Heat
     "props":   {NAME: PROP}, "attrs": {NAME: ATTR}}}}
  PROP: "t" type (string integer number boolean list map any), "req" required,
        "def" default, "upd" update_allowed, "imm" immutable,
        "conv" a map or list may also be given as JSON text, "status" support
        status unless it is SUPPORTED, "hidden" not implemented,
        "c" constraints, "d" description, "item" PROP of list items or map
        values, "keys" {NAME: PROP} of a map with fixed keys
  ATTR: "t" type, "d" description, "status" as above
"""
import argparse
import collections
import importlib.metadata
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heat_oracle as oracle  # noqa: E402

from heat.engine import attributes  # noqa: E402
from heat.engine import constraints  # noqa: E402
from heat.engine import environment  # noqa: E402
from heat.engine import properties  # noqa: E402

_TYPES = {"String": "string", "Integer": "integer", "Number": "number",
          "Boolean": "boolean", "List": "list", "Map": "map", "Any": "any"}


def _clean(text):
    return " ".join(str(text).split()) if text else None


def _status(support, out):
    if support is None:
        return
    if support.status != "SUPPORTED":
        out["status"] = support.status
        if support.message:
            out["message"] = _clean(support.message)
        # The history lists the newest first. Keep when it was first supported.
    first, seen = support, set()
    while first.previous_status is not None and id(first) not in seen:
        seen.add(id(first))
        first = first.previous_status
    if first.version:
        out["since"] = first.version


def _constraint(c):
    if isinstance(c, constraints.CustomConstraint):
        return {"custom": c.name}
    # In Heat, Length is a subclass of Range.
    if isinstance(c, constraints.Length):
        return {"length": [c.min, c.max]}
    if isinstance(c, constraints.Range):
        return {"range": [c.min, c.max]}
    if isinstance(c, constraints.AllowedValues):
        return {"allowed": list(c.allowed)}
    if isinstance(c, constraints.AllowedPattern):
        return {"pattern": c.pattern}
    if isinstance(c, constraints.Modulo):
        return {"modulo": [c.step, c.offset]}
    return {"other": type(c).__name__}


def _prop(schema, depth=0):
    schema = properties.Schema.from_legacy(schema)
    out = {"t": _TYPES.get(schema.type, str(schema.type).lower())}
    if schema.required:
        out["req"] = True
    if schema.default is not None:
        out["def"] = schema.default
    if schema.update_allowed:
        out["upd"] = True
    if schema.immutable:
        out["imm"] = True
    if not schema.implemented:
        out["hidden"] = True
    support = {}
    _status(schema.support_status, support)
    out.update(support)
    if schema.constraints:
        out["c"] = [_constraint(c) for c in schema.constraints]
    if schema.allow_conversion:
        out["conv"] = True
    if schema.description:
        out["d"] = _clean(schema.description)
    if schema.schema and depth < 12:
        if "*" in schema.schema:
            out["item"] = _prop(schema.schema["*"], depth + 1)
        else:
            out["keys"] = {str(k): _prop(v, depth + 1)
                           for k, v in schema.schema.items()}
    return out


def _attr(schema):
    out = {}
    if schema.type:
        out["t"] = _TYPES.get(schema.type, str(schema.type).lower())
    _status(schema.support_status, out)
    if schema.description:
        out["d"] = _clean(schema.description)
    return out


def dump(prefix):
    env = oracle.heat_resources.global_env()
    types = {}
    # registry.get_types() would omit the HIDDEN types.
    for name in sorted(env.registry._registry):
        info = env.registry._registry[name]
        if not (name.startswith(prefix)
                and isinstance(info, environment.ClassResourceInfo)):
            continue
        cls = info.get_class()
        entry = {}
        _status(cls.support_status, entry)
        doc = _clean((cls.__doc__ or "").strip().split("\n\n")[0])
        if doc:
            entry["doc"] = doc
        if cls.default_client_name:
            entry["service"] = cls.default_client_name
        entry["props"] = {
            k: _prop(v) for k, v in properties.schemata(
                cls.properties_schema).items()}
        schema = dict(cls.attributes_schema)
        schema.update(cls.base_attributes_schema)
        entry["attrs"] = {
            k: _attr(v) for k, v in attributes.schemata(schema).items()}
        types[name] = entry
    return {"heat": importlib.metadata.version("openstack-heat"),
            "types": types}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("-o", "--output")
    p.add_argument("--prefix", default="OS::")
    args = p.parse_args()
    oracle.setup()
    data = dump(args.prefix)
    # One resource type per line: compact, and still readable in a diff.
    lines = ["%s:%s" % (json.dumps(k), json.dumps(
        v, separators=(",", ":"), default=str))
        for k, v in sorted(data["types"].items())]
    text = '{"heat":%s,"types":{\n%s\n}}\n' % (
        json.dumps(data["heat"]), ",\n".join(lines))
    json.loads(text)
    if args.output:
        with open(args.output, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    count = collections.Counter(
        "::".join(k.split("::")[:2]) for k in data["types"])
    for service, n in sorted(count.items()):
        print("%4d  %s" % (n, service), file=sys.stderr)
    print("%4d  all, %d bytes" % (len(lines), len(text)), file=sys.stderr)


if __name__ == "__main__":
    main()
