#!/usr/bin/env python3
"""Create a stack with the real Heat engine, and update it step by step.

    follow.py [-P NAME=VALUE]... [--timeout SECONDS] [--no-convergence]
              TEMPLATE...

Creates the stack from the first template, and updates it to each of the
others in turn. Prints one JSON object per template, with the physical ID of
each resource by path. The exit status is 1 if a step does not complete, and 2
for wrong usage.
"""
import argparse
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import create  # noqa: E402
import loopback  # noqa: E402

NAME = "s"


def step(heat, number, job):
    """Create or update the stack, and return its state after that."""
    began = time.perf_counter()
    out = {"file": job["template"], "status": None, "ids": {}}
    body = create.request_body(job, NAME)
    if number == 0:
        status, answer = heat.call("POST", "/stacks", body)
    else:
        stack = heat.wait(NAME)
        del body["stack_name"]
        status, answer = heat.call(
            "PUT", "/stacks/%s/%s" % (NAME, stack["id"]), body)
    if status not in (201, 202):
        out["error"], out["message"] = create.error_of(answer)
        return out
    stack = ended(heat, number + 1, job["timeout"])
    out["status"] = stack["stack_status"]
    out["reason"] = stack["stack_status_reason"]
    _, paths = create.tree(heat, stack)
    out["ids"] = {path: physical for physical, path in paths.items()}
    out["seconds"] = round(time.perf_counter() - began, 3)
    return out


def ended(heat, count, seconds):
    """Wait until `count` operations end, or time is up; return the stack."""
    end = time.monotonic() + seconds
    while True:
        stack = heat.wait(NAME, max(end - time.monotonic(), 0.1))
        _, body = heat.call("GET", "/stacks/%s/%s/events?limit=100000" % (
            NAME, stack["id"]))
        ends = [e for e in body["events"]
                if e["physical_resource_id"] == stack["id"]
                and not e["resource_status"].endswith("IN_PROGRESS")]
        if len(ends) >= count or time.monotonic() > end:
            return stack
        time.sleep(0.2)


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("templates", nargs="+", metavar="TEMPLATE")
    p.add_argument("-P", "--parameter", action="append", default=[],
                   metavar="NAME=VALUE")
    p.add_argument("--timeout", type=float, default=300.0,
                   help="seconds to wait for one step (default: 300)")
    p.add_argument("--no-convergence", action="store_true",
                   help="use the legacy engine")
    args = p.parse_args(argv)
    loopback.stop_on_sigterm()
    job = {"environment": [], "timeout": args.timeout,
           "parameters": dict(item.split("=", 1) for item in args.parameter)}
    options = ["--no-convergence"] * args.no_convergence
    with loopback.Loopback(options) as heat:
        for number, template in enumerate(args.templates):
            out = step(heat, number, dict(job, template=template))
            print(json.dumps(out, sort_keys=True), flush=True)
            if not (out["status"] or "").endswith("_COMPLETE"):
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
