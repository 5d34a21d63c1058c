//! The administrators' view of hosts.

use wattle_openstack::Method::Get;

use super::{COMPUTE, PLACEMENT, Step, step};

pub(super) const STEPS: &[Step] = &[
    Step {
        version: Some("2.53"),
        keeps: &[("host", "/hypervisors/0/id")],
        ..step("list all hypervisors", COMPUTE, Get, "/os-hypervisors/detail")
    },
    Step {
        version: Some("2.53"),
        ..step("list the services of hosts", COMPUTE, Get, "/os-services?binary=nova-compute")
    },
    step("list all aggregates", COMPUTE, Get, "/os-aggregates"),
    Step {
        version: Some("2.61"),
        ..step("list the flavors of all projects", COMPUTE, Get, "/flavors/detail?is_public=None")
    },
    Step { version: Some("1.14"), ..step("list all resource providers", PLACEMENT, Get, "/resource_providers") },
    Step {
        version: Some("1.14"),
        ..step("what a host has", PLACEMENT, Get, "/resource_providers/<host>/inventories")
    },
    Step {
        version: Some("1.14"),
        ..step("what is used of a host", PLACEMENT, Get, "/resource_providers/<host>/usages")
    },
    Step { version: Some("1.14"), ..step("the traits of a host", PLACEMENT, Get, "/resource_providers/<host>/traits") },
    Step {
        version: Some("1.14"),
        ..step("what a host has that there is not", PLACEMENT, Get, "/resource_providers/00000000-0000-4000-8000-000000000000/inventories")
    },
    Step {
        version: Some("1.29"),
        ..step("hosts with memory", PLACEMENT, Get, "/allocation_candidates?resources=MEMORY_MB:1")
    },
    Step {
        version: Some("1.29"),
        ..step("hosts with what there is not", PLACEMENT, Get, "/allocation_candidates?resources=CUSTOM_NONE:1")
    },
];
