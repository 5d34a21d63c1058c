#!/usr/bin/env python3
"""Report what Heat would do to a stack if its template changed in one place.

    preview.py [--count N] TEMPLATE...

Makes N changes, the same on every run, each to one thing in one of the
templates: a property, the metadata, a policy, or the type of a resource.
Prints one JSON object per change: `file, change, before, after` (the
templates), `parameters`, and the result of Heat's own preview of the update,
as lists of resources: `added, deleted, replaced, updated, touched` (updated,
but with nothing to do), `unchanged`, and `refused` with Heat's reason. A
reference to a resource resolves to its name, so the replacement of a resource
changes nothing else here.
"""
import argparse
import copy
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heat_oracle as oracle  # noqa: E402
import meaning  # noqa: E402
import validate  # noqa: E402
from heat.common import exception  # noqa: E402
from heat.engine import resource  # noqa: E402


def other(value, dice):
    """Return a different value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.5
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list) and value:
        at = dice.randrange(len(value))
        if dice.random() < 0.5:
            return value[:at] + value[at + 1:]
        return value[:at] + [other(value[at], dice)] + value[at + 1:]
    if isinstance(value, dict) and value:
        key = dice.choice(sorted(value, key=str))
        if dice.random() < 0.3:
            return {k: v for k, v in value.items() if k != key}
        return dict(value, **{key: other(value[key], dice)})
    return "other"


def changed(template, dice):
    """Change one thing. Return the new template and a description, or None if
    the change does not apply."""
    template = copy.deepcopy(template)
    resources = template.get("resources") or {}
    if not resources:
        return None
    name = dice.choice(sorted(resources))
    one = resources[name]
    properties = one.get("properties")
    kind = dice.choice(["value"] * 8 + ["gone", "gone", "metadata", "policy",
                                        "type", "server", "without"])
    if kind in ("value", "gone"):
        if not isinstance(properties, dict) or not properties:
            return None
        key = dice.choice(sorted(properties, key=str))
        if kind == "gone":
            del properties[key]
        else:
            properties[key] = other(properties[key], dice)
        return template, "%s: %s of %s" % (kind, key, name)
    if kind == "metadata":
        one["metadata"] = other(one.get("metadata") or {"a": "b"}, dice)
    elif kind == "policy":
        one["deletion_policy"] = "Retain" if one.get(
            "deletion_policy") != "Retain" else "Delete"
    elif kind == "without":
        del resources[name]
    elif kind == "type":
        one["type"] = "OS::Heat::None"
        one.pop("properties", None)
    elif kind == "server":
        if one.get("type") != "OS::Nova::Server" or not isinstance(
                properties, dict):
            return None
        what = dice.choice(["flavor", "image", "user_data"])
        properties["%s_update_policy" % what] = dice.choice(
            {"flavor": ["RESIZE", "REPLACE"],
             "image": ["REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL"],
             "user_data": ["REPLACE", "IGNORE"]}[what])
        properties[what] = "another"
    return template, "%s of %s" % (kind, name)


def build(template, files, env, params):
    return oracle.build_stack(
        copy.deepcopy(template), files=files, env=copy.deepcopy(env),
        params=dict(params), context=oracle.new_context())


def differs(is_, was, will, old, props):
    """Return whether an update in place would have anything to do."""
    rest = [{k: v for k, v in defn.render_hot().items() if k != "properties"}
            for defn in (was, will)]
    return (rest[0] != rest[1]
            or bool(is_.update_template_diff_properties(props, old)))


def preview(before, after):
    """Like Heat's StackUpdate.preview(), for stacks that were never stored."""
    out = {"added": sorted(set(after) - set(before)),
           "deleted": sorted(set(before) - set(after)),
           "replaced": [], "updated": [], "touched": [], "unchanged": [],
           "refused": {}}
    for name in sorted(set(before) & set(after)):
        is_, new = before[name], after[name]
        if type(is_) is not type(new):
            out["replaced"].append(name)
            continue
        try:
            was, will = is_.frozen_definition(), new.frozen_definition()
            old = was.properties(is_.properties_schema, is_.context)
            props = will.properties(new.properties_schema, new.context)
            changes = is_.preview_update(will, was, props, old, None)
            if changes and not differs(is_, was, will, old, props):
                out["touched"].append(name)
            else:
                out["updated" if changes else "unchanged"].append(name)
        except resource.UpdateReplace:
            out["replaced"].append(name)
        except exception.NotSupported as ex:
            out["refused"][name] = str(ex)
    return out


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("templates", nargs="+", metavar="TEMPLATE")
    p.add_argument("--count", type=int, default=200)
    args = p.parse_args(argv)
    oracle.setup()
    loaded = []
    for path in args.templates:
        loader = validate.Loader([], {}, True)
        try:
            stack = loader.stack(path)
        except Exception:  # a template that needs an environment
            continue
        given = {n: stack.parameters.params[n].value()
                 for n in stack.t.param_schemata()}
        wire = json.loads(json.dumps(stack.t.t, default=str))
        # Functions that Heat took for text are text in JSON as well.
        loaded.append((path, wire, dict(stack.t.files), given))
    meaning.telling = True
    dice, left = random.Random(7), args.count
    while left:
        path, template, files, given = dice.choice(loaded)
        change = changed(template, dice)
        if change is None:
            continue
        left -= 1
        try:
            stacks = [build(t, files, {}, given)
                      for t in (template, change[0])]
            answer = preview(*stacks)
        except Exception as ex:  # the change made the template invalid
            answer = {"error": " ".join(str(ex).split())}
        print(json.dumps(dict(
            answer, file=os.path.basename(path), change=change[1],
            before=template, after=change[0], parameters=given),
            default=str), flush=True)


if __name__ == "__main__":
    main()
