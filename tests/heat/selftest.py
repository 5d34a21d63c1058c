#!/usr/bin/env python3
"""Check the oracle itself: good templates pass, bad ones fail as they must."""
import glob
import os
import re
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
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
