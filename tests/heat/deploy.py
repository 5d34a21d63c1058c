#!/usr/bin/env python3
"""Create a stack with software deployments, and act as its servers' agents.

    deploy.py [-e ENV.yaml]... [-P NAME=VALUE]... [--timeout SECONDS]
              [--outputs FILE | --hooks DIR] [--update TEMPLATE]...
              [--delete] TEMPLATE

The cloud is simulated. By default, this tool signals each deployment as
complete, with the outputs in the JSON of FILE: {deployment: {output: text}}.
With --hooks, the real heat-agents run it in DIR: 55-heat-config with the hooks
for scripts, Ansible and Puppet. Prints one JSON object. The exit status is 1
if the stack is not CREATE_COMPLETE, or UPDATE_COMPLETE after the last update.
See README.md in this directory.
"""
import argparse
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import create  # noqa: E402
import loopback  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
AGENTS = os.path.join(HERE, os.pardir, ".cache", "heat-agents")

#: replaces heat-config-notify, which would send a signed request to the
#: CloudFormation API
NOTIFY = """#!%s
import json, sys
config, name = json.load(open(sys.argv[1])), "%s/signal-%%s.json"
with open(name %% config["id"], "w") as file:
    json.dump(json.load(sys.stdin), file)
"""


class Simulated:
    """An agent that runs nothing, and reports the outputs it was given."""

    def __init__(self, outputs):
        self.outputs = outputs

    def run(self, server, configs):
        for config in configs:
            name = values(config)["deploy_resource_name"]
            yield config, dict(self.outputs.get(name, {}), deploy_stdout="",
                               deploy_stderr="", deploy_status_code=0)


class Real:
    """The real heat-agents. Each server has its own folder."""

    def __init__(self, folder):
        subprocess.run([os.path.join(HERE, "agents-setup")], check=True,
                       stdout=sys.stderr)
        self.folder = os.path.abspath(folder)

    def run(self, server, configs):
        home = os.path.join(self.folder, server)
        os.makedirs(home, exist_ok=True)
        notify = os.path.join(home, "notify")
        with open(notify, "w") as f:
            f.write(NOTIFY % (sys.executable, home))
        os.chmod(notify, 0o755)
        env = dict(
            os.environ,
            PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"],
            HEAT_CONFIG_HOOKS=os.path.join(AGENTS, "hooks"),
            HEAT_SHELL_CONFIG=os.path.join(home, "config"),
            HEAT_CONFIG_DEPLOYED=os.path.join(home, "deployed"),
            HEAT_CONFIG_NOTIFY=notify, WATTLE_HEAT_DIR=home,
            HEAT_PUPPET_LOGDIR=os.path.join(home, "puppet-log"),
            **{"HEAT_%s_%s" % (tool, part):
               os.path.join(home, tool.lower(), part.lower())
               for tool in ("SCRIPT", "ANSIBLE", "PUPPET")
               for part in ("WORKING", "OUTPUTS")})
        with open(env["HEAT_SHELL_CONFIG"], "w") as f:
            json.dump(configs, f)
        with open(os.path.join(home, "log"), "ab") as log:
            subprocess.run([sys.executable,
                            os.path.join(AGENTS, "55-heat-config")], env=env,
                           stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                           check=True)
        for config in configs:
            try:
                with open("%s/signal-%s.json" % (home, config["id"])) as f:
                    yield config, json.load(f)
            except FileNotFoundError:
                raise SystemExit("heat-agents did not signal %s: see %s/log"
                                 % (config["name"], home))


def values(config):
    return {i["name"]: i.get("value") for i in config["inputs"]}


def play(heat, stack, agent, seen, events, timeout, updated=()):
    """Act as the agents until nothing is in progress, or time is up.

    Return the stack, or None if it does not exist. Its update has not begun
    while its `updated_time` is still `updated`.
    """
    end = time.monotonic() + timeout
    while True:
        status, body = heat.call("GET", "/stacks/" + stack)
        if status == 404:
            return None
        done = (not body["stack"]["stack_status"].endswith("IN_PROGRESS")
                and body["stack"]["updated_time"] != updated)
        if done or time.monotonic() > end:
            return body["stack"]
        identity = "%s/%s" % (stack, body["stack"]["id"])
        _, listed = heat.call("GET", "/stacks/%s/resources" % identity)
        resources = listed["resources"] if isinstance(listed, dict) else []
        for row in resources:
            if (row["resource_type"] != "OS::Nova::Server"
                    or not row["physical_resource_id"]):
                continue
            status, told = heat.call(
                "GET", "/software_deployments/metadata/"
                + row["physical_resource_id"])
            configs = [c for c in (told["metadata"] if status == 200 else [])
                       if c["id"] not in seen]
            for config in configs:
                seen.add(config["id"])
                events.append(event("start", config, values(config)))
            for config, said in agent.run(row["resource_name"], configs):
                # Meanwhile, deployments that do not wait for this one start.
                time.sleep(0.3)
                name = values(config)["deploy_resource_name"]
                events.append(event("end", config, said))
                answer = heat.call("POST", "/stacks/%s/resources/%s/signal"
                                   % (identity, name), said)
                if answer[0] != 200:
                    raise SystemExit("cannot signal %s: %s" % (name, answer))
        time.sleep(0.1)


def event(what, config, told):
    inputs = values(config)
    return {"what": what, "deployment": inputs["deploy_resource_name"],
            "action": inputs["deploy_action"], "group": config["group"],
            "told": told}


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("template", metavar="TEMPLATE")
    p.add_argument("-e", "--environment", action="append", default=[])
    p.add_argument("-P", "--parameter", action="append", default=[],
                   metavar="NAME=VALUE")
    p.add_argument("--timeout", type=float, default=120.0)
    p.add_argument("--outputs", metavar="FILE")
    p.add_argument("--hooks", metavar="DIR")
    p.add_argument("--update", action="append", default=[],
                   metavar="TEMPLATE",
                   help="then update the stack to this template; may be "
                        "repeated")
    p.add_argument("--delete", action="store_true",
                   help="finally, delete the stack")
    args = p.parse_args(argv)
    params = dict(item.partition("=")[::2] for item in args.parameter)
    outputs = {}
    if args.outputs:
        with open(args.outputs, encoding="utf-8") as f:
            outputs = json.load(f)
    agent = Real(args.hooks) if args.hooks else Simulated(outputs)
    loopback.stop_on_sigterm()
    out, seen, events, name = {"events": []}, set(), [], "stack"
    with loopback.Loopback([]) as heat:
        def body(template):
            return create.request_body(
                {"template": template, "environment": args.environment,
                 "parameters": params, "timeout": args.timeout}, name)

        status, answer = heat.call("POST", "/stacks", body(args.template))
        if status != 201:
            out["error"], out["message"] = create.error_of(answer)
        else:
            stack = play(heat, name, agent, seen, events, args.timeout)
            for template in args.update:
                before = stack["updated_time"]
                status, answer = heat.call(
                    "PUT", "/stacks/%s/%s" % (name, stack["id"]),
                    body(template))
                if status != 202:
                    raise SystemExit("cannot update the stack: %s" % answer)
                stack = play(heat, name, agent, seen, events, args.timeout,
                             before)
            out["status"] = stack["stack_status"]
            out["reason"] = stack["stack_status_reason"]
            out["outputs"] = {o["output_key"]: o.get("output_value")
                              for o in stack.get("outputs", [])}
            if args.delete:
                heat.call("DELETE", "/stacks/%s/%s" % (name, stack["id"]))
                gone = play(heat, name, agent, seen, events, args.timeout)
                out["gone"] = gone is None or (
                    gone["stack_status"] == "DELETE_COMPLETE")
    out["events"] = events
    print(json.dumps(out, sort_keys=True))
    return 0 if out.get("status", "").endswith("_COMPLETE") else 1


if __name__ == "__main__":
    sys.exit(main())
