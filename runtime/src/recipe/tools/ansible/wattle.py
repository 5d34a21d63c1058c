"""Tells wattle what a playbook has set with `set_stats`, and which task failed."""

import json
import math
import os
from collections.abc import Mapping, Sequence

from ansible import template
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: wattle
type: aggregate
short_description: collects what set_stats sets
description:
    - Writes the values that C(set_stats) set, those of the run and those of the host, and the last failure to a file.
"""

# In the folder above that of this file, which wattle made for this run.
REPORT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "report.json")


def mind_keys():
    """Makes unsafe keys count: before ansible-core 2.19, only unsafe values make what is derived from a variable unsafe."""
    context = getattr(template, "AnsibleContext", None)
    of_values = getattr(context, "_is_unsafe", None)
    if of_values is None:
        return

    def is_unsafe(self, value):
        if isinstance(value, Mapping) and any(getattr(key, "__UNSAFE__", False) for key in value):
            return True
        return of_values(self, value)

    context._is_unsafe = is_unsafe


mind_keys()


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "wattle"
    CALLBACK_NEEDS_ENABLED = False

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.failure = None
        self.plays = 0
        self.plays_elsewhere = 0

    def v2_playbook_on_play_start(self, play):
        self.plays += 1

    def v2_playbook_on_no_hosts_matched(self):
        self.plays_elsewhere += 1

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if not ignore_errors:
            self.fail(result, "failed")

    def v2_runner_on_unreachable(self, result):
        self.fail(result, "could not reach its host")

    def fail(self, result, how):
        # Before ansible-core 2.19, the names begin with an underscore.
        task = getattr(result, "task", None) or getattr(result, "_task", None)
        values = getattr(result, "result", None) or getattr(result, "_result", None) or {}
        # In a loop, the item that failed says why; the task says only that one has failed.
        items = values.get("results")
        items = items if isinstance(items, (list, tuple)) else []
        failed = next((one for one in items if isinstance(one, Mapping) and one.get("failed")), None)
        item = None
        if failed is not None:
            values = {**failed, "censored": values.get("censored")}
            item = failed.get("_ansible_item_label", failed.get(failed.get("ansible_loop_var", "item")))
        if values.get("censored") or getattr(task, "no_log", False):
            said, item = [values.get("censored")], None
        else:
            said = [words(values.get("msg"))]
            stderr = values.get("stderr") or values.get("module_stderr")
            # What a command prints says more than the fact that its status is not zero.
            if isinstance(stderr, str) and stderr.strip():
                said.append(stderr.strip().splitlines()[-1])
        self.failure = {
            "task": str(task.get_name()) if task else "",
            "at": place(task),
            "item": None if item is None else words(plain(item)),
            "how": how,
            "said": [str(text) for text in said if text],
        }

    def v2_playbook_on_stats(self, stats):
        custom = dict(getattr(stats, "custom", None) or {})
        run = custom.pop("_run", {})
        values = {}
        for host in custom.values():
            values.update(host)
        values.update(run)
        # Ansible considers a play without hosts a success.
        nowhere = self.plays > 0 and self.plays == self.plays_elsewhere
        report = {"stats": plain(values), "failure": self.failure, "nowhere": nowhere}
        with open(REPORT, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(report, file)


def place(task):
    """Where the task is: its file, without the folders of this run, and its line."""
    path = str(task.get_path() or "") if task else ""
    file, _, line = path.rpartition(":")
    if not line.isdigit():
        return None
    base = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(REPORT))), "files") + os.sep
    return "line %s of %s" % (line, file[len(base):] if file.startswith(base) else os.path.basename(file))


def words(value):
    """The value as text; a structured value as JSON."""
    value = plain(value)
    return value if isinstance(value, str) or value is None else json.dumps(value)


def plain(value):
    """The value without Ansible's own types, which are JSON's with marks on them."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [plain(item) for item in value]
    return str(value)
