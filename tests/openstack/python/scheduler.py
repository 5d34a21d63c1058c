"""Places servers one after the other by Nova's own filters and weighers, with their default settings.

Reads a JSON object from standard input: `hosts`, each with `vcpus` and `memory` (MiB) and what of both is used, and `servers`, each
with `vcpus`, `memory` and the number of its server group, or null. The policy of every group is anti-affinity. Writes the number of
the host for each server, or null, as a JSON list.

A server is there before the next one is scheduled. What Placement does for Nova, to leave out hosts without room, is done here.
"""

import json
import logging
import sys
import uuid

logging.disable(logging.CRITICAL)

from nova import conf, context, objects  # noqa: E402
from nova.scheduler import filters, host_manager, weights  # noqa: E402

CONF = conf.CONF


class Up:
    """Makes every compute service count as running, which would otherwise be looked up in the database."""

    def service_is_up(self, service):
        return True


def chosen(handler, classes, enabled=None):
    found = handler.get_matching_classes(classes)
    return [one() for one in found if enabled is None or one.__name__ in enabled]


def host(number, given):
    state = host_manager.HostState(f"h{number}", f"h{number}", "cell")
    state.vcpus_total, state.vcpus_used = given["vcpus"], given["vcpus_used"]
    state.total_usable_ram_mb = given["memory"]
    state.free_ram_mb = given["memory"] - given["memory_used"]
    state.cpu_allocation_ratio = state.ram_allocation_ratio = state.disk_allocation_ratio = 1.0
    state.hypervisor_version = 1
    state.stats = {}
    state.service = {"disabled": False}
    return state


def spec(given, members):
    flavor = objects.Flavor(
        name="one", vcpus=given["vcpus"], memory_mb=given["memory"], root_gb=0, ephemeral_gb=0, swap=0, extra_specs={}
    )
    group = None
    if given["group"] is not None:
        group = objects.InstanceGroup(
            policy="anti-affinity", policies=["anti-affinity"], rules={}, hosts=[], members=list(members)
        )
    return objects.RequestSpec(
        context=context.get_admin_context(), flavor=flavor, image=objects.ImageMeta(properties=objects.ImageMetaProps()),
        instance_uuid=str(uuid.uuid4()), instance_group=group, pci_requests=None, numa_topology=None, num_instances=1,
        requested_destination=None, scheduler_hints={}, request_level_params=objects.RequestLevelParams(),
    )


def main():
    objects.register_all()
    CONF([], project="nova")
    filter_handler, weight_handler = filters.HostFilterHandler(), weights.HostWeightHandler()
    all_filters = chosen(
        filter_handler, CONF.filter_scheduler.available_filters, set(CONF.filter_scheduler.enabled_filters)
    )
    for one in all_filters:
        if hasattr(one, "servicegroup_api"):
            one.servicegroup_api = Up()
    weighers = chosen(weight_handler, CONF.filter_scheduler.weight_classes)
    asked = json.load(sys.stdin)
    states = [host(number, given) for number, given in enumerate(asked["hosts"])]
    number = {state.host: at for at, state in enumerate(states)}
    placed, groups = [], {}
    for given in asked["servers"]:
        members = groups.setdefault(given["group"], [])
        request = spec(given, members)
        roomy = [
            state for state in states
            if state.vcpus_total - state.vcpus_used >= given["vcpus"] and state.free_ram_mb >= given["memory"]
        ]
        open_hosts = list(filter_handler.get_filtered_objects(all_filters, roomy, request) or [])
        if not open_hosts:
            placed.append(None)
            continue
        best = weight_handler.get_weighed_objects(weighers, open_hosts, request)[0].obj
        best.consume_from_request(request)
        best.num_io_ops = 0
        best.instances[request.instance_uuid] = None
        members.append(request.instance_uuid)
        placed.append(number[best.host])
    json.dump(placed, sys.stdout)


if __name__ == "__main__":
    main()
