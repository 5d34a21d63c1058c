#!/usr/bin/env python3
"""Create stacks with the real Heat engine on a simulated cloud.

    create.py [-e ENV.yaml]... [-P NAME=VALUE]... [--name STACK]
              [--timeout SECONDS] [--delay TYPE=SECONDS]... [--no-limits]
              [--no-convergence] [--full] TEMPLATE...
    create.py [options] --stdin

Prints one JSON object per template. The exit status is 1 if any stack is not
CREATE_COMPLETE, and 2 for wrong usage. See README.md in this directory.
"""
import argparse
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import loopback  # noqa: E402
from heatclient.common import template_utils  # noqa: E402

NESTED_DEPTH = 10


def request_body(job, name):
    """Return the request that python-heatclient sends for these files. The job
    has `template`, `environment`, `parameters`, and `timeout` in seconds."""
    files, template = template_utils.get_template_contents(
        template_file=job["template"])
    env_files, env = template_utils.process_multiple_environments_and_files(
        env_paths=job["environment"])
    return {"stack_name": name, "template": template, "environment": env,
            "files": dict(files, **env_files),
            # Heat's default, or longer if we wait longer for the stack.
            "timeout_mins": max(60, int(job["timeout"] // 60) + 1),
            "disable_rollback": True, "parameters": job["parameters"]}


def error_of(text):
    """Return (type, message) from Heat's answer to a refused request."""
    try:
        fault = json.loads(text)
        error = fault.get("error", fault)
        return (error.get("type", fault.get("title")),
                " ".join(str(error.get("message", text)).split()))
    except (ValueError, AttributeError):
        return "HTTPError", " ".join(str(text).split())


def tree(heat, stack):
    """Return all resources by path, and the paths by physical ID."""
    _, body = heat.call("GET", "/stacks/%s/%s/resources?nested_depth=%d" % (
        stack["stack_name"], stack["id"], NESTED_DEPTH))
    rows = body["resources"]
    owner = {r["physical_resource_id"]: r for r in rows}

    def path(row):
        links = {link["rel"]: link["href"] for link in row["links"]}
        parent = owner.get(links["stack"].rstrip("/").rpartition("/")[2])
        name = row["resource_name"]
        return name if parent is None else path(parent) + "/" + name

    paths = [(path(row), row) for row in rows]
    resources = {
        name: {"type": row["resource_type"], "status": row["resource_status"],
               "reason": row["resource_status_reason"]}
        for name, row in sorted(paths, key=lambda item: item[0])}
    return resources, {row["physical_resource_id"]: n for n, row in paths}


def create(heat, job, name, full):
    """Create a stack. Return its record, even for a bad template."""
    out = {"file": job["template"], "name": name, "ok": False}
    began = time.perf_counter()
    try:
        body = request_body(job, name)
    except Exception as ex:  # an error of the client, of any class
        out["error"], out["message"] = type(ex).__name__, " ".join(
            str(ex).split())
        return out
    heat.trace()
    status, answer = heat.call("POST", "/stacks", body)
    out["accepted"] = round(time.perf_counter() - began, 3)
    if status != 201:
        out["error"], out["message"] = error_of(answer)
        return out
    stack = heat.wait(name, job["timeout"])
    out["seconds"] = round(time.perf_counter() - began, 3)
    out["status"] = stack["stack_status"]
    out["ok"] = stack["stack_status"] == "CREATE_COMPLETE"
    if not out["ok"]:
        pending = stack["stack_status"].endswith("IN_PROGRESS")
        out["error"] = "Timeout" if pending else "CreateFailed"
        out["message"] = stack["stack_status_reason"]
    out["outputs"] = {o["output_key"]: o.get("output_value")
                      for o in stack.get("outputs", [])}
    out["resources"], names = tree(heat, stack)
    calls = heat.trace()
    out["servers"] = {
        names.get(c["id"], c["id"]): {"name": c["name"],
                                      "userdata": c.get("userdata")}
        for c in calls if c["call"] == "nova.servers.create"}
    if full:
        out["calls"] = calls
    return out


def jobs(args, defaults):
    """Yield the templates to create, each as a dict like `defaults`."""
    for path in args.templates:
        yield dict(defaults, template=path)
    if args.stdin:
        for line in sys.stdin:
            line = line.strip()
            if line.startswith("{"):
                yield dict(defaults, **json.loads(line))
            elif line:
                yield dict(defaults, template=line)


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("templates", nargs="*", metavar="TEMPLATE")
    p.add_argument("-e", "--environment", action="append", default=[])
    p.add_argument("-P", "--parameter", action="append", default=[],
                   metavar="NAME=VALUE")
    p.add_argument("--name", default="s",
                   help="name of the first stack; the others are NAME2, ...")
    p.add_argument("--timeout", type=float, default=120.0,
                   help="seconds to wait for one stack (default: 120)")
    p.add_argument("--delay", action="append", default=[],
                   metavar="TYPE=SECONDS",
                   help="how long it takes to create resources of a type")
    p.add_argument("--no-limits", action="store_true",
                   help="lift Heat's default size limits")
    p.add_argument("--no-convergence", action="store_true",
                   help="use the legacy engine")
    p.add_argument("--full", action="store_true",
                   help="add every call to the simulated cloud")
    p.add_argument("--stdin", action="store_true",
                   help="also read standard input, a path or a JSON object "
                        "per line, and answer each line at once")
    args = p.parse_args(argv)
    if not args.templates and not args.stdin:
        p.error("no template given")
    params = {}
    for item in args.parameter:
        key, eq, value = item.partition("=")
        if not eq:
            p.error("parameter must be NAME=VALUE: %s" % item)
        params[key] = value
    options = [o for d in args.delay for o in ("--delay", d)]
    options += ["--no-limits"] * args.no_limits
    options += ["--no-convergence"] * args.no_convergence
    defaults = {"environment": args.environment, "parameters": params,
                "timeout": args.timeout, "name": None}
    loopback.stop_on_sigterm()
    failed = 0
    try:
        with loopback.Loopback(options) as heat:
            for i, job in enumerate(jobs(args, defaults), 1):
                name = job["name"] or args.name + (str(i) if i > 1 else "")
                out = create(heat, job, name, args.full)
                failed += not out["ok"]
                print(json.dumps(out, sort_keys=True), flush=True)
    except KeyboardInterrupt:
        return 130
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
