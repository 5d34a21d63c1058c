"""Tells wattle what a playbook set by `set_stats`, and which task failed."""

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

# Above the folder of this file: wattle made it for this run.
REPORT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "report.json")


def mind_keys():
    """Before ansible-core 2.19, what is made of a variable is unsafe if one of its values is: make its keys count too."""
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

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if not ignore_errors:
            self.fail(result, "failed")

    def v2_runner_on_unreachable(self, result):
        self.fail(result, "could not reach its host")

    def fail(self, result, how):
        # The names of before ansible-core 2.19.
        task = getattr(result, "task", None) or getattr(result, "_task", None)
        values = getattr(result, "result", None) or getattr(result, "_result", None) or {}
        said = [values.get(name) for name in ("msg", "stderr", "module_stderr", "censored")]
        self.failure = {
            "task": str(task.get_name()) if task else "",
            "how": how,
            "said": [str(plain(text)) for text in said if text],
        }

    def v2_playbook_on_stats(self, stats):
        custom = dict(getattr(stats, "custom", None) or {})
        run = custom.pop("_run", {})
        values = {}
        for host in custom.values():
            values.update(host)
        values.update(run)
        report = {"stats": plain(values), "failure": self.failure}
        with open(REPORT, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(report, file)


def plain(value):
    """The value without Ansible's own types: they are JSON's with marks on them."""
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
