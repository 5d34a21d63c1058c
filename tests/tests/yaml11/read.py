"""Reads templates as Heat does, and as PyYAML's own slow loader does.

Each line of the input is a template as a JSON string; each line of the output is `{"heat": VALUE, "slow": VALUE}`.
A VALUE is JSON in which what JSON would blur is told apart: a float is `{"!float": BITS}`, a key that is not text, a
value that JSON does not have and a failure are `{"!key": ..}`, `{"!value": ..}` and `{"!failed": ..}`.
"""

import json
import struct
import sys

import yaml
from heat.common import template_format


class SlowLoader(yaml.SafeLoader):
    """What Heat uses where PyYAML was built without libyaml."""


for tag in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp"):
    SlowLoader.add_constructor(tag, lambda loader, node: loader.construct_scalar(node))


def exact(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"!float": struct.pack(">d", value).hex()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        odd = [key for key in value if not isinstance(key, str)]
        if odd:
            return {"!key": repr(odd[0])}
        return {key: exact(item) for key, item in value.items()}
    return {"!value": repr(value)}


def attempt(read, text):
    try:
        return exact(read(text))
    except Exception as failure:
        return {"!failed": str(failure)}


def slow(text):
    try:
        return json.loads(text)
    except ValueError:
        return yaml.load(text, Loader=SlowLoader)


for line in sys.stdin:
    text = json.loads(line)
    answer = {"heat": attempt(template_format.simple_parse, text), "slow": attempt(slow, text)}
    print(json.dumps(answer), flush=True)
