//! Names in policies and wires: no misspelling is silently ignored.

use std::collections::BTreeMap;

use wattle_heat::Loaded;
use wattle_heat::parameters::Inputs;
use wattle_place::template::check;

use crate::template::{messages, policies, run, server, servers, template};

const SMALL: &str = "type: OS::Nova::Server, properties: {image: i, flavor: small}";

fn part(names: &[&str]) -> String {
    format!("heat_template_version: 2021-04-16\nresources:\n{}", servers(names))
}

/// The diagnostics for a template with these files beside it, with suggestions.
fn wrong(text: &str, files: &[(&str, &str)]) -> Vec<String> {
    let mut found = run(text, files, true, &[]).map_or_else(|wrong| wrong, |placed| placed.warnings);
    found.retain(|one| one.code == "W1607");
    found.iter().map(|one| format!("{}: {} ({})", one.code, one.message, one.help.join("; "))).collect()
}

#[test]
fn a_misspelt_server_of_a_nested_stack_is_reported() {
    let (db, web) = (part(&["db"]), part(&["web"]));
    let files = [("db.yaml", &*db), ("web.yaml", &*web)];
    let with = |policy: &str| {
        let parts = "  data: {type: db.yaml}\n  shop: {type: web.yaml}\n";
        template(&format!("{}{parts}{}", servers(&["a"]), policies(policy)))
    };
    let one = |policy: &str| {
        let all = wrong(&with(policy), &files);
        let [one] = &all[..] else { panic!("{policy}: {all:#?}") };
        one.clone()
    };
    // Each part of these names exists somewhere, but not there.
    assert_eq!(
        one("{apart: [a, data/web]}"),
        "W1607: the policy `apart` by host of `a` and `data/web`: there is no server `data/web` (did you mean `data/db`?)"
    );
    assert_eq!(
        one("{zone: az1, servers: [dtaa/db]}"),
        "W1607: the policy `zone` `az1` of `dtaa/db`: there is no server `dtaa/db` (did you mean `data/db`?)"
    );
    assert_eq!(
        one("{apart: [db, a/web]}"),
        "W1607: the policy `apart` by host of `db` and `a/web`: there is no server `a/web` (did you mean `shop/web`?)"
    );
    assert_eq!(
        one("{near: [a, shpo], within: rack}"),
        "W1607: the policy `near` within a rack of `a` and `shpo`: there is no server `shpo` (did you mean `shop`?)"
    );
}

#[test]
fn a_name_that_two_servers_have_names_neither() {
    let db = part(&["db"]);
    let text = template(&format!(
        "{}  one: {{type: db.yaml}}\n  two: {{type: db.yaml}}\n{}",
        servers(&["a"]),
        policies("{apart: [a, db]}")
    ));
    let found = wrong(&text, &[("db.yaml", &db)]);
    assert_eq!(
        found,
        ["W1607: the policy `apart` by host of `a` and `db`: `db` can mean `one/db` or `two/db` (write the full name)"]
    );
}

#[test]
fn what_has_no_servers_cannot_be_placed() {
    let net = "heat_template_version: 2021-04-16\nresources:\n  net: {type: OS::Neutron::Net}\n";
    let volumes = "  disks:\n    type: OS::Heat::ResourceGroup\n    properties: {count: 2, resource_def: {type: OS::Cinder::Volume, \
                   properties: {size: 1}}}\n  part: {type: net.yaml}\n  lan: {type: OS::Neutron::Net, condition: 'no'}\n";
    let text = template(&format!(
        "{}{volumes}{}conditions: {{'no': false}}\n",
        servers(&["a"]),
        policies("{apart: [a, disks]}, {zone: az1, servers: [part]}, {apart: [a, lan]}")
    ));
    assert_eq!(
        messages(&run(&text, &[("net.yaml", net)], true, &[]).map_or_else(|wrong| wrong, |placed| placed.warnings)),
        [
            "W1607: the policy `apart` by host of `a` and `disks`: there are no servers in `disks`",
            "W1607: the policy `zone` `az1` of `part`: there are no servers in `part`",
            "W1607: the policy `apart` by host of `a` and `lan`: `lan` is not a server",
        ]
    );
}

/// A resource that is missing only now may be named: its condition may hold another time, and its group may be larger.
#[test]
fn what_may_be_there_another_time_may_be_named() {
    let off = format!("  idle: {{condition: never, {SMALL}}}\n  part: {{condition: never, type: db.yaml}}\n");
    let group = format!(
        "  web: {{type: OS::Heat::ResourceGroup, properties: {{count: 2, resource_def: {{{SMALL}}}}}}}\n  none: {{type: \
         OS::Heat::ResourceGroup, properties: {{count: 0, resource_def: {{{SMALL}}}}}}}\n"
    );
    let db = part(&["db"])
        + "  spare: {condition: never, type: OS::Nova::Server, properties: {image: i, flavor: small}}\nconditions: {never: false}\n";
    let with = |policy: &str| {
        let all = format!("{}{off}{group}  data: {{type: db.yaml}}\n{}", servers(&["a", "b"]), policies(policy));
        template(&all) + "conditions: {never: false}\n"
    };
    let files = [("db.yaml", &*db)];
    for policy in [
        "{apart: [a, idle]}",
        "{apart: [a, part/db]}",
        "{apart: [a, none]}",
        "{apart: [a, data/spare]}",
        "{apart: [a, part]}",
    ] {
        assert_eq!(wrong(&with(policy), &files), Vec::<String>::new(), "{policy}");
    }
    // A member that the group never has is an error.
    let found = wrong(&with("{apart: [a, web/2]}"), &files);
    assert!(found.len() == 1 && found[0].contains("there is no server `web/2`"), "{found:?}");
    // A group whose size is chosen later may have any member, but members have the numbers or names of their group.
    let open = format!(
        "  web: {{type: OS::Heat::ResourceGroup, properties: {{count: {{get_param: size}}, resource_def: {{{SMALL}}}}}}}\n"
    );
    let checked = |policy: &str| {
        let text = template(&format!("{open}{}{}", server("a", "small", ""), policies(policy)));
        messages(&check(&Loaded::load(&text, "t.yaml", &BTreeMap::<String, Vec<u8>>::new(), &Inputs::default())))
    };
    assert_eq!(checked("{apart: [a, web/7]}"), [""; 0]);
    assert_eq!(
        checked("{apart: [a, web/sevn]}"),
        ["W1607: the policy `apart` by host of `a` and `web/sevn`: there is no server `web/sevn`"]
    );
}

#[test]
fn wires_name_servers_too() {
    let db = part(&["db"]);
    let wires = "  placement: {type: OS::Heat::None, metadata: {wattle.placement: {wires: [{between: [a, dtaa/db], bandwidth: 1 Gbit/s}]}}}\n";
    let text = template(&format!("{}  data: {{type: db.yaml}}\n{wires}", servers(&["a"])));
    assert_eq!(
        wrong(&text, &[("db.yaml", &db)]),
        ["W1607: a wire: there is no server `dtaa/db` (did you mean `data/db`?)"]
    );
}
