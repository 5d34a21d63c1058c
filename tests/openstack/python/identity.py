"""Creates users, roles and the catalogue."""

import sys
import openstack

ip, password = sys.argv[1:]
cloud = openstack.connect()
identity = cloud.identity
default = identity.find_domain("Default", ignore_missing=False)
roles = {role.name: role for role in identity.roles()}
for name in ["service", "heat_stack_user"]:
    roles[name] = roles.get(name) or identity.create_role(name=name)


def project(name):
    return identity.find_project(name, domain_id=default.id) or identity.create_project(name=name, domain_id=default.id)


def user(name, domain=default):
    return identity.find_user(name, domain_id=domain.id) or identity.create_user(
        name=name, password=password, domain_id=domain.id)


service = project("service")
for name in ["glance", "placement", "nova", "neutron", "heat", "cinder"]:
    who = user(name)
    for role in ["admin", "service"]:
        identity.assign_project_role_to_user(service, who, roles[role])
demo = project("demo")
identity.assign_project_role_to_user(demo, user("demo"), roles["member"])
identity.assign_project_role_to_user(demo, identity.find_user("admin", domain_id=default.id), roles["admin"])
heat = identity.find_domain("heat") or identity.create_domain(name="heat")
identity.assign_domain_role_to_user(heat, user("heat_domain_admin", heat), roles["admin"])

known = {it.type: it for it in identity.services()}
for kind, name, url in [
    ("image", "glance", f"http://{ip}:9292"),
    ("placement", "placement", f"http://{ip}:8778"),
    ("compute", "nova", f"http://{ip}:8774/v2.1"),
    ("network", "neutron", f"http://{ip}:9696"),
    ("orchestration", "heat", f"http://{ip}:8004/v1/$(project_id)s"),
    ("cloudformation", "heat-cfn", f"http://{ip}:8000/v1"),
    ("block-storage", "cinder", f"http://{ip}:8776/v3/$(project_id)s"),
]:
    it = known.get(kind) or identity.create_service(type=kind, name=name)
    have = {endpoint.interface for endpoint in identity.endpoints(service_id=it.id)}
    for interface in {"public", "internal", "admin"} - have:
        identity.create_endpoint(service_id=it.id, interface=interface, url=url, region_id="RegionOne")
