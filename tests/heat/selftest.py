#!/usr/bin/env python3
"""Test the tools: good templates must pass, bad ones must fail as expected."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import heat_oracle as oracle  # noqa: E402
import stub_cloud  # noqa: E402
import validate  # noqa: E402
import yaml  # noqa: E402

oracle.setup()
with open(os.path.join(HERE, "selftest", "cloud.yaml")) as f:
    cloud = yaml.safe_load(f)
loader = validate.Loader([], {}, False)
passed = failed = 0


def expect(label, res, pattern):
    global passed, failed
    if pattern is None:
        good = res["ok"]
    else:
        good = not res["ok"] and re.search(pattern, res["message"], re.S)
    passed += bool(good)
    failed += not good
    if not good or "-v" in sys.argv:
        print("%s %s: %s %s" % ("ok  " if good else "BAD ", label,
                                res.get("error", "valid"),
                                res.get("message", "")[:200]))


for path in sorted(glob.glob(os.path.join(HERE, "selftest/good/*.yaml"))):
    expect(os.path.basename(path), validate.check(loader, path, True), None)

for path in sorted(glob.glob(os.path.join(HERE, "selftest/bad/*.yaml"))):
    with open(path) as f:
        text = f.read()
    pattern = re.match(r"# expect: (.*)", text).group(1)
    options = re.search(r"^# options: (.*)", text, re.M)
    stub_cloud.INVENTORY.clear()
    if options and "cloud" in options.group(1):
        stub_cloud.INVENTORY.update(cloud)
    expect(os.path.basename(path), validate.check(loader, path, False),
           pattern)
stub_cloud.INVENTORY.clear()

# Heat's default limits
oracle.enforce_limits(True)
with tempfile.TemporaryDirectory() as tmp:
    many = os.path.join(tmp, "many.yaml")
    with open(many, "w") as f:
        f.write("heat_template_version: 2018-08-31\nresources:\n")
        for i in range(1001):
            f.write("  r%d: {type: 'OS::Heat::RandomString'}\n" % i)
    expect("1001 resources", validate.check(loader, many, False),
           "Maximum resources per stack exceeded")
    big = os.path.join(tmp, "big.yaml")
    with open(big, "w") as f:
        f.write("heat_template_version: 2018-08-31\ndescription: %s\n"
                % ("x" * 524288))
    expect("512 KiB + a little", validate.check(loader, big, False),
           "exceeds maximum allowed size")
oracle.enforce_limits(False)

# the graph of a known template
res = validate.check(
    loader, os.path.join(HERE, "selftest/good/two_tier.yaml"), True)
want = {"db": ["port", "subnet"], "fip": ["port", "router", "router_if"], "net": [],
        "port": ["net", "sg", "subnet"], "router": [],
        "router_if": ["router", "subnet"], "sg": [], "subnet": ["net"],
        "web": ["db", "net"]}
same = res.get("graph") == want
passed += same
failed += not same
if not same:
    print("BAD  graph:", res.get("graph"))


def tell(label, good, note):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good or "-v" in sys.argv:
        print("%s %s: %s" % ("ok  " if good else "BAD ", label, note))


def tool(name, *args, lines=()):
    """Run a tool of this directory. Return (exit status, parsed answers)."""
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, name), *args], text=True,
        input="".join(json.dumps(line) + "\n" for line in lines),
        stdout=subprocess.PIPE, timeout=120, check=False)
    return done.returncode, [json.loads(t) for t in done.stdout.splitlines()]


# the types that PyYAML gives to plain scalars
PLAIN = (("no", "bool"), ("0o7", "str"), ("0644", "int"), ("22:22", "int"),
         ("1_000", "int"), ("1e3", "str"), ("1.0e+3", "float"), ("~", "null"),
         ("2001-01-01", "str"), ("'no'", "str"), ("y", "str"), ("on", "bool"))
status, answers = tool("yaml11.py", "--both", "--stdin",
                       lines=[{"yaml": "k: " + text} for text, _ in PLAIN])
for (text, kind), got in zip(PLAIN, answers):
    tell("yaml11 " + text, got["ok"] and kind in got["value"]["map"][0][1],
         got)
tell("yaml11 status", status == 0 and len(answers) == len(PLAIN), status)
DIFFER = (("no: no", {"no": "no"}), ("a: 1", {"a": 1.0}), ("a: [x]", {}),
          ("{b: 1, a: 2}", {"a": 2, "b": 1}), ("a: =", {"a": "="}),
          ("a: <<", {"a": "<<"}), ("<<: {a: b}", {"<<": {"a": "b"}}))
status, answers = tool("yaml11.py", "--stdin", lines=[
    {"yaml": text, "expect": want} for text, want in DIFFER])
for (text, _), got in zip(DIFFER, answers):
    tell("yaml11 differs " + text, not got["ok"], got)
tell("yaml11 status", status == 1 and len(answers) == len(DIFFER), status)

# creation: user data is recorded as written, failures are reported
good = os.path.join(HERE, "selftest/good/two_tier.yaml")
status, answers = tool("create.py", "--stdin", lines=[
    {"template": good, "parameters": {"n": 1}},
    {"template": os.path.join(HERE, "selftest/bad/no_type.yaml")}])
created, refused = answers
tell("create", created["ok"] and created["status"] == "CREATE_COMPLETE",
     created)
tell("create servers", {k: v["userdata"] for k, v in created.get(
    "servers", {}).items()} == {
        "db": "#!/bin/sh\ntrue\n",
        "web/0": "#!/bin/sh\necho %s > /etc/db\n"
                 % created.get("outputs", {}).get("db_ip")}, created)
tell("create refused", "must contain a type" in refused["message"], refused)
tell("create status", status == 1, status)
status, (late,) = tool("create.py", "--timeout", "1", "--delay",
                       "OS::Nova::Server=60", os.path.join(
                           HERE, "selftest/good/nested.yaml"))
tell("create timeout", status == 1 and late["error"] == "Timeout", late)

print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
