"""A bill of materials in CycloneDX 1.5, of what Cargo's metadata on the standard input say.

usage: cargo metadata --format-version 1 | sbom.py PACKAGE CARGO_LOCK NPM_LOCK >FILE

NPM_LOCK is the lock file of the scripts that a crate carries as they are. It has what PACKAGE is built of: dependencies, those that only run while building included, those of tests not. The same input
gives the same bytes, and there is no path of this machine in it.
"""

import json
import sys
import tomllib


def built_of(metadata, root):
    """Identities of what a package is built of, itself included."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    seen, pending = {root}, [root]
    while pending:
        for dependency in nodes[pending.pop()]["deps"]:
            is_built = any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            if is_built and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                pending.append(dependency["pkg"])
    return seen, nodes


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums, kind):
    one = {
        "type": kind,
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package.get("description"):
        one["description"] = " ".join(package["description"].split())
    if package.get("license"):
        # Before SPDX had `OR`, Cargo had a slash.
        one["licenses"] = [{"expression": package["license"].replace("/", " OR ").replace("  ", " ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        one["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return one


def carried(lock):
    """What is in a lock file of npm: scripts that are in the program as they are."""
    with open(lock, encoding="utf-8") as file:
        packages = json.load(file)["packages"]
    for path, package in sorted(packages.items()):
        if path:
            name = path.removeprefix("node_modules/")
            purl = f"pkg:npm/{name}@{package['version']}"
            one = {"type": "library", "bom-ref": purl, "name": name, "version": package["version"], "purl": purl}
            if package.get("license"):
                one["licenses"] = [{"expression": package["license"]}]
            yield one


def main():
    name, lock, npm = sys.argv[1:]
    metadata = json.load(sys.stdin)
    with open(lock, "rb") as file:
        locked = tomllib.load(file)["package"]
    checksums = {(one["name"], one["version"]): one["checksum"] for one in locked if "checksum" in one}
    packages = {package["id"]: package for package in metadata["packages"]}
    root = next(id for id, package in packages.items() if package["name"] == name and package["source"] is None)
    seen, nodes = built_of(metadata, root)
    of = lambda id: reference(packages[id])
    ordered = sorted(seen, key=of)
    depends = lambda id: sorted(of(one["pkg"]) for one in nodes[id]["deps"] if one["pkg"] in seen)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(packages[root], checksums, "application")},
        "components": [component(packages[id], checksums, "library") for id in ordered if id != root]
        + list(carried(npm)),
        "dependencies": [{"ref": of(id), "dependsOn": depends(id)} for id in ordered],
    }
    json.dump(bill, sys.stdout, indent=1, sort_keys=False)
    sys.stdout.write("\n")


main()
