#!/usr/bin/env python3
"""Check extended templates against docs/extended-template.schema.json.

    schema.py TEMPLATE...

Prints one JSON object per template: `{"ok": true, "parts": COUNT}`, or the
error for the first part that does not match the schema. Reads templates as
Heat does.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from heat.common import template_format  # noqa: E402
import jsonschema  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "docs", "extended-template.schema.json")


def judge(path, server, stack):
    with open(path, encoding="utf-8") as file:
        template = template_format.simple_parse(file.read())
    parts = 0
    for name, resource in template["resources"].items():
        ours = (resource.get("metadata") or {}).get("wattle")
        if ours is None:
            continue
        parts += 1
        validator = stack if name == "wattle_model" else server
        error = jsonschema.exceptions.best_match(validator.iter_errors(ours))
        if error is not None:
            return {"ok": False, "resource": name, "at": error.json_path, "why": error.message[:500]}
    return {"ok": True, "parts": parts}


def main(paths):
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema)
    server = validator(schema)
    stack = validator({"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": "#/$defs/stack"})
    for path in paths:
        print(json.dumps(judge(path, server, stack)))


if __name__ == "__main__":
    main(sys.argv[1:])
