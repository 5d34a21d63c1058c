"""Reads templates as Heat does.

Each line of the input is a template as a JSON string; each line of the output holds what three readers
made of it: `heat` is Heat's own function; `fast` is the loader that it tries first, alone, for where that fails Heat reads
once more with one that takes dates for dates; `slow` is the first loader as Heat has it where libyaml is not installed.
Arguments name those that are wanted; without any, all are.
A VALUE is JSON in which what JSON would blur is told apart: a float is `{"!float": BITS}`, an integer of more than 64
bits `{"!integer": DIGITS}`, a map with a key that is not text `{"!map": [[KEY, VALUE], ..]}`, a value that JSON does not
have `{"!value": ..}`, not a number `{"!float": "nan"}` and a failure `{"!failed": ..}`.
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


def is_text(value):
    """Whether it is text that UTF-8 can hold: JSON can have halves of surrogate pairs."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def exact(value):
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return {"!integer": str(value)}
    if value is None or isinstance(value, (bool, int)) or is_text(value):
        return value
    if isinstance(value, float):
        if value != value:
            return {"!float": "nan"}
        return {"!float": struct.pack(">d", value).hex()}
    # JSON has no tuples, so they arrive as lists.
    if isinstance(value, (list, tuple)):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        if not all(is_text(key) for key in value):
            return {"!map": [[exact(key), exact(item)] for key, item in value.items()]}
        return {key: exact(item) for key, item in value.items()}
    return {"!value": ascii(value)}


def attempt(read, text):
    try:
        return exact(read(text))
    except Exception as failure:
        return {"!failed": str(failure)}


def loader(kind):
    def read(text):
        try:
            return json.loads(text)
        except ValueError:
            return yaml.load(text, Loader=kind)

    return read


READERS = {
    "heat": template_format.simple_parse,
    "fast": loader(template_format.yaml_loader),
    "slow": loader(SlowLoader),
}

asked = sys.argv[1:] or READERS

for line in sys.stdin:
    text = json.loads(line)
    print(json.dumps({name: attempt(READERS[name], text) for name in asked}), flush=True)
