#!/usr/bin/env python3
"""Read YAML as Heat does (PyYAML, so YAML 1.1), and print what it means.

    yaml11.py [--both] [FILE...]
    yaml11.py [--both] --stdin

Prints one JSON object per document. The exit status is 1 if any cannot be read
or differs from what was expected, and 2 for wrong usage. See README.md in this
directory.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from heat.common import template_format  # noqa: E402
from oslo_serialization import jsonutils  # noqa: E402
import yaml  # noqa: E402


class PurePython(yaml.SafeLoader):
    """The loader that Heat uses if PyYAML has no libyaml."""


for _tag in ("str", "timestamp"):
    PurePython.add_constructor("tag:yaml.org,2002:" + _tag,
                               yaml.SafeLoader.construct_scalar)


def read(text, loader=template_format.yaml_loader):
    """Like heat.common.template_format.simple_parse, for any document."""
    try:
        return jsonutils.loads(text)
    except ValueError:
        return yaml.load(text, Loader=loader)


def tagged(value):
    """Return the value with its types: {"str": "no"}, {"bool": false}, ..."""
    if value is None or isinstance(value, (bool, str)):
        return {_kind(value): value}
    if isinstance(value, dict):
        return {"map": [[tagged(k), tagged(v)] for k, v in value.items()]}
    if isinstance(value, (list, tuple)):
        return {"list": [tagged(v) for v in value]}
    # As text: JSON has one kind of number and no bytes.
    return {_kind(value): repr(value)}


def _kind(value):
    return {"NoneType": "null", "dict": "map"}.get(
        type(value).__name__, type(value).__name__)


def differences(want, got, where=""):
    """Yield how `got` differs from `want`, in words. Types and order count."""
    if type(want) is not type(got):
        yield "%s: wanted %s %r, read %s %r" % (
            where or "/", _kind(want), want, _kind(got), got)
    elif isinstance(want, dict):
        if list(want) != list(got):
            yield "%s: wanted keys %r, read %r" % (
                where or "/", list(want), list(got))
        for key in want:
            if key in got:
                yield from differences(want[key], got[key],
                                       "%s/%s" % (where, key))
    elif isinstance(want, list):
        if len(want) != len(got):
            yield "%s: wanted %d items, read %d" % (
                where or "/", len(want), len(got))
        for i, pair in enumerate(zip(want, got)):
            yield from differences(*pair, "%s/%d" % (where, i))
    elif want != got:
        yield "%s: wanted %r, read %r" % (where or "/", want, got)


def answer(job, both):
    """Read a document. Return its record, even for a bad one."""
    out = {"ok": False}
    out.update({k: job[k] for k in ("id", "path") if k in job})
    try:
        text = job.get("yaml")
        if text is None:
            with open(job["path"], encoding="utf-8", newline="") as f:
                text = f.read()
        value = read(text)
        if "expect" in job:
            out["differences"] = list(differences(job["expect"], value))
        else:
            out["value"] = tagged(value)
        if both:
            pure = read(text, PurePython)
            out["loaders"] = list(differences(value, pure))
        out["ok"] = not out.get("differences") and not out.get("loaders")
    except (yaml.YAMLError, ValueError, TypeError, OSError) as ex:
        out["error"] = type(ex).__name__
        out["message"] = " ".join(str(ex).split())
    return out


def jobs(args):
    for path in args.files:
        yield {"path": path}
    if args.stdin:
        for line in sys.stdin:
            line = line.strip()
            if line.startswith("{"):
                yield json.loads(line)
            elif line:
                yield {"path": line}


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("files", nargs="*", metavar="FILE")
    p.add_argument("--both", action="store_true",
                   help="also read with PyYAML's own parser, and compare")
    p.add_argument("--stdin", action="store_true",
                   help="also read standard input, a path or a JSON object "
                        "per line, and answer each line at once")
    args = p.parse_args(argv)
    if not args.files and not args.stdin:
        p.error("no file given")
    failed = 0
    for job in jobs(args):
        out = answer(job, args.both)
        failed += not out["ok"]
        print(json.dumps(out), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
