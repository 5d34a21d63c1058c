"""The agent's unit, as a package has it: that of a server's user data, for a program in /usr/bin that nobody has to fetch.

usage: unit.py USER_DATA >UNIT
"""

import sys

PATH = "  - path: /etc/systemd/system/wattle-agent.service\n    content: |\n"
INDENT = "      "


def unit(user_data: str) -> str:
    """The unit's text in the user data, of which it is one file."""
    _, found, rest = user_data.partition(PATH)
    if not found:
        sys.exit("unit.py: the user data has no unit")
    lines = []
    for line in rest.splitlines():
        if line and not line.startswith(INDENT):
            break
        lines.append(line[len(INDENT) :])
    return "\n".join(lines).rstrip("\n") + "\n"


def packaged(text: str) -> str:
    """The same for a package: nothing is fetched, and where nobody has said who the server is, nothing starts."""
    out = []
    for line in text.splitlines():
        if line.startswith("ExecStartPre="):
            continue
        if line == "[Service]":
            # Above the blank line before it.
            out.insert(len(out) - 1, "ConditionPathExists=/etc/wattle/identity.json")
        out.append(line.replace("/usr/local/bin/wattle ", "/usr/bin/wattle-agent "))
    return "\n".join(out) + "\n"


with open(sys.argv[1], encoding="utf-8") as file:
    sys.stdout.write(packaged(unit(file.read())))
