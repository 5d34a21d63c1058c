"""Waits until all services respond, and until there are as many hosts as the argument says."""

import sys
import time
import openstack

deadline = time.monotonic() + 90
missing = "nothing answers"
while time.monotonic() < deadline:
    try:
        cloud = openstack.connect()
        up = [it.binary for it in cloud.compute.services() if it.state == "up"]
        missing = {"nova-compute", "nova-conductor", "nova-scheduler"}.difference(up)
        if up.count("nova-compute") < int(sys.argv[1]):
            missing.add("nova-compute")
        if not missing:
            missing = {"cinder-scheduler", "cinder-volume"} - {
                it.binary for it in cloud.block_storage.services() if it.state == "up"}
        if not missing:
            engines = [it for it in cloud.orchestration.get("/services").json()["services"] if it["status"] == "up"]
            missing = set() if engines else {"heat-engine"}
        if not missing:
            list(cloud.network.networks())
            list(cloud.image.images())
            sys.exit(0)
    except Exception as error:
        missing = error
    time.sleep(0.3)
sys.exit(f"openstack-lab: not up: {missing}")
