#!/usr/bin/env python3
"""Print what Heat's function yaql returns.

    yaql_values.py --stdin

Each line is `{"expression": TEXT, "data": ANY}`. The answer contains `value`,
or `error, message, stage`, where the stage is Heat's method that refuses it
(`validate` or `result`). For a value that JSON cannot represent, such as a set
or a time, it contains only the `type`.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heat_oracle  # noqa: E402,F401
from heat.engine.hot import functions  # noqa: E402


class NoJson(Exception):
    """A value that JSON cannot represent."""


def plain(value):
    """Return the value if JSON can represent it."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise NoJson('a key')
        return {key: plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    raise NoJson(type(value).__name__)


def answer(question):
    """Return Heat's answer to one question."""
    stage = 'validate'
    try:
        call = functions.Yaql(None, 'yaql', question)
        call.validate()
        stage = 'result'
        return {'value': plain(call.result())}
    except NoJson as what:
        return {'type': str(what)}
    except Exception as error:
        return {'error': type(error).__name__, 'message': str(error),
                'stage': stage}


def main():
    """Answer standard input line by line."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == '__main__':
    main()
