#!/usr/bin/env python3
"""Print what a template means to Heat, as JSON that can be compared.

    meaning.py [--stdin] TEMPLATE...

Prints one line per template: its parameters, conditions, resources and outputs
with all functions resolved, and the graph. An attribute, which only a running
stack knows, is replaced by text that names it. Two templates are therefore
equal if and only if Heat would compute the same values for the same
attributes. Parameters without a default get made-up values, the same for the
same declarations.
"""
import argparse
import itertools
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heat_oracle as oracle  # noqa: E402
from heat.common import short_id  # noqa: E402
from heat.engine import function  # noqa: E402
from heat.engine import translation  # noqa: E402
from heat.engine.cfn import functions as cfn_functions  # noqa: E402
from heat.engine.hot import functions as hot_functions  # noqa: E402
import validate  # noqa: E402


#: whether functions return descriptions of themselves, instead of the values
#: that Heat substitutes during validation
telling = False


def told(result, text):
    """Wrap a `result` method: while `telling`, it returns `text(self)`."""
    return lambda self: text(self) if telling else result(self)


def attribute(self):
    """Return text that names an attribute."""
    path = [function.resolve(part) for part in
            getattr(self, "_path_components", None) or []]
    try:
        name = function.resolve(self._attribute)
    except AttributeError:
        name = None
    return "<%s>" % json.dumps(
        [function.resolve(self._resource_name), name] + path)


for kind in (cfn_functions.GetAtt, hot_functions.GetAttThenSelect,
             hot_functions.GetAtt, hot_functions.GetAttAllAttributes):
    if "result" in vars(kind):
        kind.result = told(kind.result, attribute)


def reference(self):
    """Return text that stands for the ID of a resource."""
    return "<%s>" % function.resolve(self.args)


hot_functions.GetResource.result = told(
    hot_functions.GetResource.result, reference)


def plain(value):
    """Return a value with functions resolved, or as written if that fails."""
    try:
        return function.resolve(value)
    except Exception:
        return raw(value)


def raw(value):
    """Return a value as written, in whatever form Heat's functions hold it."""
    if isinstance(value, function.Function):
        return {value.fn_name: raw(value.args)}
    if isinstance(value, function.Macro):
        return raw(value.parsed)
    if isinstance(value, dict):
        return {str(k): raw(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [raw(v) for v in value]
    return value


def constraint(one):
    out = {k: v for k, v in vars(one).items()
           if k not in ("_custom_constraint", "_environment", "environment",
                        "match")}
    return [type(one).__name__, {k: v for k, v in out.items() if v is not None}]


def parameter(schema, stack, name):
    return {"type": schema.type, "label": schema.label,
            "description": " ".join((schema.description or "").split()),
            "default": (None if schema.default is None
                        else stack.parameters.params[name].value()),
            "hidden": bool(schema.hidden), "immutable": bool(schema.immutable),
            "tags": list(schema.tags or []),
            "constraints": [constraint(c) for c in schema.constraints]}


def properties(rsrc):
    """Return the properties as written, except for those that Heat's own rules
    move to another name: return these as Heat's engine reads them."""
    defn = rsrc.t
    written = plain(defn._properties or {})
    if not isinstance(written, dict):
        return written
    try:
        props = defn.properties(rsrc.properties_schema, rsrc.context)
        rules = [rule for rule in rsrc.translation_rules(props) or []
                 if rule.rule != translation.TranslationRule.RESOLVE]
        props.update_translation(rules, client_resolve=False)
    except Exception:
        return written
    concerned = set()
    for rule in rules:
        concerned.add(rule.translation_path[0])
        if rule.rule == translation.TranslationRule.REPLACE:
            concerned.add(rule.get_value_absolute_path(True)[0])
    out = {k: v for k, v in written.items() if k not in concerned}
    # The rules move properties even if they are not written.
    for key in concerned.intersection(props):
        try:
            value = props[key]
        except Exception as ex:
            value = "%s: %s" % (type(ex).__name__, written.get(key))
        if value is not None:
            out[key] = value
    return out


def definition(rsrc):
    defn = rsrc.t
    out = {"type": defn.resource_type,
           "properties": properties(rsrc),
           "metadata": plain(defn._metadata or {}),
           "depends_on": sorted(defn._depends or []),
           "deletion_policy": plain(defn._deletion_policy),
           "update_policy": plain(defn._update_policy or {}),
           "external_id": plain(defn._external_id),
           "condition": raw(defn._condition),
           "description": defn.description}
    return {k: v for k, v in out.items() if v}


def whole(stack):
    """Return a stack with its nested stacks, which Heat builds from the values
    that it substitutes during validation."""
    return stack, {name: whole(child) for name, child
                   in oracle.nested_stacks(stack).items()}


def renumbered(out):
    """Return `out` with the members of groups numbered from 0, regardless of
    any groups that were created before."""
    text = json.dumps(out, default=str)
    for n, name in enumerate(sorted(set(re.findall(r"member\d+", text)),
                                    key=lambda name: int(name[6:]))):
        text = re.sub(name + r"\b", "member-%d" % n, text)
    return json.loads(text)


def meaning(of):
    stack, children = of
    template = stack.t
    schemata = template.param_schemata()
    conditions = template.conditions(stack)
    known = {}
    for name in conditions._conditions:
        try:
            known[name] = conditions.is_enabled(name)
        except Exception as ex:
            known[name] = type(ex).__name__
    groups = template.t.get("parameter_groups") or []
    out = {
        "version": str(template.version[1]),
        "description": " ".join(str(
            template.t.get("description") or "").split()),
        "groups": [{"label": g.get("label") or "",
                    "description": g.get("description") or "",
                    "parameters": list(g.get("parameters") or [])}
                   for g in groups],
        "parameters": {n: parameter(s, stack, n) for n, s in schemata.items()},
        "conditions": known,
        "written_conditions": raw(template.t.get("conditions") or {}),
        "resources": {name: definition(r) for name, r in stack.items()},
        "graph": oracle.graph(stack),
        "outputs": {name: {"value": plain(o._value),
                           "condition": raw((template.t.get("outputs") or {})
                                            .get(name, {}).get("condition")),
                           "description": " ".join(
                               str(o.description()).split())}
                    for name, o in stack.outputs.items()},
    }
    nested = {name: renumbered(meaning(child))
              for name, child in children.items()}
    if nested:
        out["nested"] = nested
    return out


def main(argv):
    oracle.setup()
    oracle.quick_interfaces()
    loader = validate.Loader([], {}, True)
    fill = argparse.Namespace(fill_params=True)
    paths = [p for p in argv if p != "--stdin"]

    def lines():
        yield from paths
        if "--stdin" in argv:
            yield from (line.strip() for line in sys.stdin if line.strip())

    global telling
    for path in lines():
        telling = False
        # Generated names are the same for the same template.
        count = itertools.count()
        short_id.generate_id = lambda: "member%d" % next(count)
        try:
            this, path = validate.asked(path, loader, fill)
            stack = this.stack(path)
            stack.validate()
            stacks = whole(stack)
            telling = True
            out = meaning(stacks)
        except Exception as ex:
            out = {"error": "%s: %s" % (type(ex).__name__,
                                        validate.error_text(ex))}
        # The names of nested templates are paths, which carry no meaning.
        folder = "file://%s/" % os.path.dirname(os.path.abspath(path))
        text = json.dumps(out, sort_keys=True, default=str)
        print(text.replace(folder, ""))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
