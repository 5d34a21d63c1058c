//! The action on a group follows from those on its members.

use wattle::plan::{Plan, State, plan};

use super::{actions, state};

const MEMBER: &str = "
parameters: {image: {type: string, default: debian-12}}
resources:
  disk: {type: OS::Cinder::Volume, properties: {size: 9}}
  web: {type: OS::Nova::Server, properties: {flavor: m1.small, image: {get_param: image}}}
outputs: {ip: {value: {get_attr: [web, first_address]}}}";

const SERVER: &str = "type: OS::Nova::Server, properties: {name: w%index%, flavor: m1.small, image: debian-12}";

/// A stack with these resources, beside a file that defines members.
fn with(resources: &str, member: &str) -> State {
    state(&[("template.yaml", &format!("resources: {{{resources}}}")), ("member.yaml", member)], &[])
}

fn both(before: &str, after: &str) -> Vec<String> {
    actions(&with(before, MEMBER), &with(after, MEMBER))
}

fn changed(resources: &str, from: &str, to: &str) -> Vec<String> {
    assert!(resources.contains(from), "{from}");
    both(resources, &resources.replace(from, to))
}

fn planned(before: &str, after: &str) -> Plan {
    plan(Some(&with(before, MEMBER)), &with(after, MEMBER))
}

#[test]
fn a_file_that_defines_members_is_looked_into() {
    for group in [
        "g: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: member.yaml}}}",
        "g: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 2, max_size: 3, resource: {type: member.yaml}}}",
    ] {
        let of = |member: &str| actions(&with(group, MEMBER), &with(group, member));
        assert!(of(MEMBER).is_empty());
        let rebuilt = ["g Update", "g/0/web Rebuild", "g/1/web Rebuild"];
        assert_eq!(of(&MEMBER.replace("debian-12", "debian-13")), rebuilt, "{group}");
        let shrunk = ["g Update", "g/0/disk Refused", "g/1/disk Refused"];
        assert_eq!(of(&MEMBER.replace("size: 9", "size: 5")), shrunk, "{group}");
        let gone = MEMBER.replace("  disk: {type: OS::Cinder::Volume, properties: {size: 9}}\n", "");
        assert_eq!(of(&gone), ["g Update", "g/0/disk Delete", "g/1/disk Delete"], "{group}");
    }
}

#[test]
fn what_is_lost_is_said_of_members_that_are_defined_in_place() {
    let group = format!("g: {{type: OS::Heat::ResourceGroup, properties: {{count: 2, resource_def: {{{SERVER}}}}}}}");
    assert!(both(&group, &group).is_empty());
    let rebuilt = planned(&group, &group.replace("debian-12", "debian-13"));
    let text = rebuilt.to_text(false);
    assert!(text.contains("! g/1 (OS::Nova::Server): is rebuilt: its disk is lost"), "{text}");
    assert!(text.contains("2 to rebuild"), "{text}");
    assert_eq!(rebuilt.resources["g/1"].group.as_deref(), Some("g"));
    assert_eq!(changed(&group, "count: 2", "count: 1"), ["g Update", "g/1 Delete"]);
    assert_eq!(changed(&group, "count: 2", "count: 3"), ["g Update", "g/2 Create"]);
    assert_eq!(
        changed(&group, "count: 2", "count: 2, removal_policies: [{resource_list: ['0']}]"),
        ["g Update", "g/2 Create", "g/0 Delete"]
    );
    let volumes = "g: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, desired_capacity: 2, \
                   resource: {type: OS::Cinder::Volume, properties: {size: 9}}}}";
    assert_eq!(changed(volumes, "size: 9", "size: 5"), ["g Update", "g/0 Refused", "g/1 Refused"]);
    assert_eq!(changed(volumes, "capacity: 2", "capacity: 1"), ["g Update", "g/1 Delete"]);
    let chain = "g: {type: OS::Heat::ResourceChain, properties: {resources: [OS::Nova::Server, OS::Nova::Server], \
                 resource_properties: {flavor: a, image: b}}}";
    // Heat does not change these in place, so the whole chain is replaced.
    assert_eq!(changed(chain, "image: b", "image: c"), ["g Replace", "g/0 Replace", "g/1 Replace"]);
    assert_eq!(changed(chain, "[OS::Nova::Server, ", "["), ["g Update", "g/1 Delete"]);
}

#[test]
fn a_group_whose_size_only_heat_knows_has_a_member_that_stands_for_all() {
    let open = format!(
        "r: {{type: OS::Heat::RandomString}}, g: {{type: OS::Heat::ResourceGroup, properties: {{count: {{get_attr: [r, \
         value]}}, resource_def: {{{SERVER}}}}}}}"
    );
    assert_eq!(changed(&open, "debian-12", "debian-13"), ["g Update", "g/0 Rebuild"]);
    // The old and the new number of members may be equal.
    let known = open.replace("{get_attr: [r, value]}", "3");
    assert_eq!(both(&known, &open), ["g Update"]);
    assert_eq!(both(&open, &known), ["g Update"]);
    // Without a capacity, a group keeps the members that scaling has left.
    let scaled =
        "g: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 0, max_size: 3, resource: {type: member.yaml}}}";
    assert_eq!(changed(scaled, "min_size: 0", "min_size: 2"), ["g Update"]);
    let other = with(scaled, &MEMBER.replace("debian-12", "debian-13"));
    assert_eq!(actions(&with(scaled, MEMBER), &other), ["g Update", "g/0/web Rebuild"]);
}

#[test]
fn a_stack_whose_template_is_a_text_is_looked_into() {
    let stack =
        "s: {type: OS::Heat::Stack, properties: {template: {get_file: member.yaml}, parameters: {image: debian-12}}}";
    assert!(both(stack, stack).is_empty());
    assert_eq!(changed(stack, "image: debian-12", "image: debian-13"), ["s Update", "s/web Rebuild"]);
    let shrunk = with(stack, &MEMBER.replace("size: 9", "size: 5"));
    assert_eq!(actions(&with(stack, MEMBER), &shrunk), ["s Update", "s/disk Refused"]);
    // In another region, it is another stack, and so is everything in it.
    assert_eq!(
        changed(stack, "properties: {", "properties: {context: {region_name: b}, "),
        ["s Replace", "s/disk Replace", "s/web Replace"]
    );
}

#[test]
fn members_have_their_names_of_nobody() {
    let group = |name: &str, count: usize| {
        format!("{name}: {{type: OS::Heat::ResourceGroup, properties: {{count: {count}, resource_def: {{{SERVER}}}}}}}")
    };
    let (before, after) =
        (format!("{}, {}", group("a", 2), group("b", 1)), format!("{}, {}", group("a", 1), group("b", 2)));
    let text = planned(&before, &after).to_text(false);
    assert!(!text.contains("it moves from") && !text.contains("takes its place"), "{text}");
    let alone = SERVER.replace("w%index%", "w1");
    let text = planned(&group("a", 2), &format!("{}, c: {{{alone}}}", group("a", 1))).to_text(false);
    assert!(!text.contains("moved_from"), "{text}");
}

#[test]
fn what_reads_of_members_is_in_doubt_with_them() {
    let with = |image: &str| {
        let text = "resources: {g: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: member.yaml}}}, \
                    w: {type: OS::Nova::Server, properties: {flavor: a, image: b, user_data: {get_attr: [g, ip]}}}}";
        with(&text["resources: {".len()..text.len() - 1], &MEMBER.replace("debian-12", image))
    };
    assert_eq!(actions(&with("a"), &with("b")), ["g Update", "g/0/web Rebuild", "w MayReplace"]);
}
