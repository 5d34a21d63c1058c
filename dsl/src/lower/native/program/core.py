#!/usr/bin/env python3
"""Runs a recipe as wattle's agent does, for heat-agents. Made by wattle: change the blueprint instead."""
import base64
import ipaddress
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

# What is run. A file is a list of its lines, or base64.
COMPONENT = json.loads(r"""@component@""")


class Failure(Exception):
    """Why the component failed."""


class Run:
    """One run: its folders, its values, its environment."""

    def __init__(self, entry, top):
        self.entry = entry
        self.top = top
        self.files = os.path.join(top, "files")
        # Closed to other users, and gone when the run ends.
        self.private = tempfile.mkdtemp(prefix="run-", dir=top)
        self.outputs = os.path.join(self.private, "output")
        self.values = {
            name: read(declared["type"], os.environ[name], "its input `%s`" % name)
            for name, declared in COMPONENT["inputs"].items() if name in os.environ
        }
        ours = set(COMPONENT["inputs"]) | {"heat_outputs_path"}
        self.env = {name: value for name, value in os.environ.items()
                    if name not in ours and not name.startswith("deploy_")}
        self.env.update(heat_outputs_path=self.outputs, WATTLE_RUN_DIR=top)
        self.save("inputs.json", json.dumps(self.values))

    def path(self, name):
        return os.path.join(self.private, name)

    def save(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def secrets(self):
        texts = [text for name, value in self.values.items()
                 for text in hidden(COMPONENT["inputs"][name]["type"], value)]
        return sorted((text for text in texts if len(text) >= 4), key=len, reverse=True)


def of(ty):
    """The kind of a type, and what it is made of."""
    return (ty, None) if isinstance(ty, str) else next(iter(ty.items()))


def read(ty, text, what):
    """The value that a text says."""
    kind, inner = of(ty)
    if kind == "secret":
        return read(inner, text, what)
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "integer" and re.fullmatch("-?(0|[1-9][0-9]*)", text):
        return fit(ty, int(text), what)
    if kind in ("float", "duration") and re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text):
        number = float(text)
        return fit(ty, int(text) if re.fullmatch("-?[0-9]+", text) and kind == "duration" else number, what)
    if kind in ("list", "map", "struct"):
        try:
            return fit(ty, json.loads(text), what)
        except ValueError:
            pass
    elif kind not in ("boolean", "integer", "float", "duration"):
        return fit(ty, text, what)
    raise Failure("%s is not of type %s" % (what, kind))


def fit(ty, value, what):
    """The value as its type has it: within lists and maps, Heat may have given a number as text."""
    kind, inner = of(ty)
    if kind == "secret":
        return fit(inner, value, what)
    if isinstance(value, str) and kind not in ("string", "ip", "ipv4", "ipv6", "url"):
        return read(ty, value, what)
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if kind == "list" and isinstance(value, list):
        return [fit(inner, item, what) for item in value]
    if kind == "map" and isinstance(value, dict):
        return {name: fit(inner, item, what) for name, item in value.items()}
    if kind == "struct" and isinstance(value, dict) and set(value) == set(inner):
        return {name: fit(inner[name], item, what) for name, item in value.items()}
    if not is_of(kind, inner, value):
        raise Failure("%s is not of type %s" % (what, kind))
    return value


def is_of(kind, inner, value):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "integer":
        return number and isinstance(value, int) and inner["min"] <= value <= inner["max"]
    if kind in ("float", "duration"):
        return number and math.isfinite(value) and (kind == "float" or value >= 0)
    if not isinstance(value, str):
        return False
    try:
        if kind == "ip":
            ipaddress.ip_address(value)
        elif kind == "ipv4":
            ipaddress.IPv4Address(value)
        elif kind == "ipv6":
            ipaddress.IPv6Address(value)
    except ValueError:
        return False
    return kind != "url" or re.match("[A-Za-z][A-Za-z0-9+.-]*:", value) is not None


def printed(value):
    """A value as text: what `read` reads."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def hidden(ty, value):
    """The texts of what is secret in a value."""
    kind, inner = of(ty)
    if kind == "secret":
        return [printed(value)] + [text for text in leaves(value)]
    if kind in ("list", "map"):
        items = value if kind == "list" else value.values()
        return [text for item in items for text in hidden(inner, item)]
    if kind == "struct":
        return [text for name, item in value.items() for text in hidden(inner[name], item)]
    return []


def leaves(value):
    if isinstance(value, (list, dict)):
        items = value if isinstance(value, list) else value.values()
        return [text for item in items for text in leaves(item)]
    return [printed(value)]


def unpack(run):
    shutil.rmtree(run.files, ignore_errors=True)
    for path, content in COMPONENT["files"].items():
        path = os.path.join(run.files, path)
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with open(path, "wb") as file:
            if isinstance(content, list):
                file.write("\n".join(content).encode())
            else:
                file.write(base64.b64decode(content))
        os.chmod(path, 0o755)


def execute(run, command):
    """Runs the tool until it ends by itself or at its deadline; what it leaves running is not waited for."""
    deadline = COMPONENT.get("deadline")
    with open(run.path("log"), "wb") as log:
        try:
            process = subprocess.Popen(command, cwd=run.files, env=run.env, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            raise Failure("`%s` cannot be run: %s" % (command[0], error.strerror))
        try:
            code = process.wait(deadline)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            raise Failure("it was not done within its deadline of %d s" % deadline)
    if not good(code):
        raise Failure("`%s` ended with status %d" % (run.entry, code))


def show(run):
    """What the recipe printed, without secrets: Heat keeps it as `deploy_stdout`."""
    try:
        with open(run.path("log"), encoding="utf-8", errors="replace") as log:
            text = log.read()[-65536:]
    except FileNotFoundError:
        return
    for secret in run.secrets():
        text = text.replace(secret, "***")
    sys.stdout.write(text)


def publish(run, collected):
    """Writes each declared output to where the hook looks for it, as its type has it."""
    found = {}
    for name, declared in COMPONENT["outputs"].items():
        what = "its output `%s`" % name
        if name in collected:
            found[name] = fit(declared["type"], collected[name], what)
            continue
        try:
            with open("%s.%s" % (run.outputs, name), encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            raise Failure("it ended without writing its output `%s`" % name)
        # One newline at the end does not count.
        found[name] = read(declared["type"], text[:-1] if text.endswith("\n") else text, what)
    for name, value in found.items():
        with open("%s.%s" % (os.environ["heat_outputs_path"], name), "w", encoding="utf-8",
                  opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(printed(value))


def main():
    removes = os.environ.get("deploy_action") == "DELETE"
    entry = COMPONENT["teardown"] if removes else COMPONENT["recipe"]
    name = os.environ.get("deploy_resource_name", "component")
    top = os.path.join(os.environ.get("WATTLE_HEAT_DIR", "/var/lib/wattle/heat"), name)
    os.makedirs(top, mode=0o755, exist_ok=True)
    run = None
    try:
        run = Run(entry, top)
        unpack(run)
        try:
            execute(run, command(run))
        finally:
            show(run)
        if not removes:
            publish(run, collect(run))
        return 0
    except Failure as failure:
        print("wattle: %s failed: %s" % (COMPONENT["name"], failure), file=sys.stderr)
        return 1
    finally:
        if run is not None:
            shutil.rmtree(run.private, ignore_errors=True)


def good(code):
    return code == 0


def collect(_run):
    """Outputs that the tool knows of besides files."""
    return {}


