//! `wattle place`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::Stage;

use super::golden;

/// Three racks in two rooms.
const CLOUD: &str = "\
places:
  hall: {is: room}
  annex: {is: room}
  r1: {is: rack, in: hall}
  r2: {is: rack, in: hall}
  r3: {is: rack, in: annex}
defaults: {vcpus: 16, memory: 64 GiB, disk: 1 TiB}
hosts:
  a1: {in: r1}
  a2: {in: r1}
  b1: {in: r2}
  b2: {in: r2}
  c1: {in: r3}
  c2: {in: r3}
flavors:
  m1.small: {vcpus: 1, memory: 2 GiB, disk: 20}
  m1.medium: {vcpus: 2, memory: 4 GiB, disk: 40}
  m1.large: {vcpus: 4, memory: 8 GiB, disk: 80}
";

const SHOP: &str = "\
heat_template_version: 2021-04-16
parameters:
  flavor: {type: string, default: m1.small}
resources:
  # what is sold
  db:
    type: OS::Nova::Server
    properties:
      image: debian-12
      flavor: m1.large
      networks: [{network: private}]
  web:
    type: OS::Nova::Server
    properties: {image: debian-12, flavor: {get_param: flavor}, networks: [{network: private}]}
  placement:
    type: OS::Heat::Value
    properties: {value: policies}
    metadata:
      wattle.placement:
        policies:
        - {apart: [db, web], by: rack}
        - {near: [db, web], within: room, preferred: 5}
";

fn stage() -> tempfile::TempDir {
    let stage = tempfile::tempdir().expect("a directory");
    fs::write(stage.path().join("cloud.yaml"), CLOUD).expect("writes");
    fs::write(stage.path().join("shop.yaml"), SHOP).expect("writes");
    stage
}

#[test]
fn servers_get_their_places() {
    let stage = stage();
    let here = stage.path();
    golden("place-admin", here, &["place", "shop.yaml", "--hosts", "cloud.yaml", "--admin"]);
    let placed = fs::read_to_string(here.join("placed/shop.yaml")).expect("reads");
    let own: String =
        placed.lines().filter(|line| !line.contains("availability_zone")).map(|line| format!("{line}\n")).collect();
    assert!(placed.contains("availability_zone: \"nova:") && own.contains("  # what is sold\n"), "{placed}");
    golden("place-zones", here, &["place", "shop.yaml", "--hosts", "cloud.yaml", "--out", "zones"]);
    golden("place-json", here, &["place", "shop.yaml", "--hosts", "cloud.yaml", "--admin", "--format", "json"]);
    golden("place-check", here, &["check", "zones/shop.yaml"]);
    golden("place-over-itself", here, &["place", "shop.yaml", "--hosts", "cloud.yaml", "-o", "."]);
    let stack = r#"[{"Hypervisor Hostname": "n1", "State": "up", "vCPUs Used": 0, "vCPUs": 8, "Memory MB Used": 0, "Memory MB": 16384}]"#;
    fs::write(here.join("hypervisors.json"), stack).expect("writes");
    let flavors = r#"[{"Name": "m1.small", "RAM": 2048, "Disk": 20, "Ephemeral": 0, "VCPUs": 1, "Is Public": true}]"#;
    fs::write(here.join("flavors.json"), flavors).expect("writes");
    let lists = ["place", "shop.yaml", "--hosts", "hypervisors.json", "--flavors", "flavors.json"];
    golden("place-unknown-flavor", here, &lists);
}

#[test]
fn what_is_wrong_is_reported_with_its_places_and_nothing_is_written() {
    let stage = stage();
    let here = stage.path();
    fs::write(here.join("wrong.yaml"), CLOUD.replace("in: r2", "in: r22").replace("disk: 1 TiB", "disk: -1"))
        .expect("writes");
    golden("place-wrong-hosts", here, &["place", "shop.yaml", "--hosts", "wrong.yaml", "--message-format", "concise"]);
    fs::write(here.join("wrong.yaml"), SHOP.replace("[db, web], by: rack", "[db, placement], by: shelf"))
        .expect("writes");
    golden("place-wrong-policies", here, &["place", "wrong.yaml", "--hosts", "cloud.yaml"]);
    golden("check-wrong-policies", here, &["check", "wrong.yaml"]);
    fs::write(here.join("tight.yaml"), SHOP.replace("within: room, preferred: 5", "within: rack")).expect("writes");
    golden("place-contradiction", here, &["place", "tight.yaml", "--hosts", "cloud.yaml"]);
    let one = CLOUD.replace("r2}", "r1}").replace("r3}", "r1}");
    let one: String = one
        .lines()
        .filter(|line| !line.contains("is: rack") || line.contains("r1:"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(here.join("one.yaml"), one.replace("  annex: {is: room}\n", "")).expect("writes");
    golden("place-no-room", here, &["place", "shop.yaml", "--hosts", "one.yaml"]);
    let full = CLOUD.replace("disk: 1 TiB}", "disk: 1 TiB, used: {vcpus: 15, memory: 66 GiB}}");
    fs::write(here.join("full.yaml"), full).expect("writes");
    golden("place-full", here, &["place", "shop.yaml", "--hosts", "full.yaml", "--message-format", "concise"]);
    golden("place-no-hosts", here, &["place", "shop.yaml", "--hosts", "cluod.yaml"]);
    assert!(!here.join("placed").exists(), "something was written");
}

/// The files that a template refers to keep their places beside it, and no file that was read is overwritten.
#[test]
fn files_keep_their_places_and_none_that_was_read_is_overwritten() {
    let stage = stage();
    let here = stage.path();
    let place = |template: &str, more: &[&str]| {
        let mut command = Command::new(wattle());
        command.args(["place", template, "--hosts", "cloud.yaml"]).args(more).current_dir(here);
        let ran = apart(&mut command, here).output().expect("wattle runs");
        (ran.status.code(), String::from_utf8(ran.stderr).expect("text"))
    };
    let write = |name: &str, text: &str| {
        fs::create_dir_all(here.join(name).parent().expect("a folder")).expect("creates");
        fs::write(here.join(name), text).expect("writes");
    };
    let read = |name: &str| fs::read_to_string(here.join(name)).expect("reads");
    let one = |name: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources:\n  {name}:\n    type: OS::Nova::Server\n    properties: {{image: i, \
             flavor: m1.small, networks: [{{network: n}}]}}\n"
        )
    };
    let with = |part: &str| format!("{}  part: {{type: {part}}}\n", one("web"));
    // However the path of its folder is written.
    write("stack/inner.yaml", &one("db"));
    write("stack/template.yaml", &with("inner.yaml"));
    for (number, template) in
        ["./stack/template.yaml", "stack/../stack/template.yaml", "stack//template.yaml"].into_iter().enumerate()
    {
        let out = format!("out{number}");
        let (code, said) = place(template, &["-o", &out]);
        assert_eq!(code, Some(0), "{said}");
        assert!(read(&format!("{out}/inner.yaml")).contains("availability_zone"), "{template}");
        assert!(!here.join(&out).join("stack").exists(), "{template}");
    }
    // A file outside of the template's folder cannot be written beside the placed template.
    write("part.yaml", &one("db"));
    write("stack/outside.yaml", &with("../part.yaml"));
    for out in [&["-o", "out"][..], &["-o", "."], &[]] {
        let (code, said) = place("stack/outside.yaml", out);
        assert!(
            code == Some(2) && said.contains("the template names `part.yaml`, which is not in its folder"),
            "{said}"
        );
    }
    assert_eq!(read("part.yaml"), one("db"));
    // The folder for the placed template contains a file that the template refers to.
    write("deep/placed/template.yaml", &one("db"));
    write("deep/template.yaml", &with("placed/template.yaml"));
    let (code, said) = place("deep/template.yaml", &[]);
    let overwritten = "`deep/placed/template.yaml` would be overwritten, but it was read";
    assert!(code == Some(2) && said.contains(overwritten), "{said}");
    assert_eq!(read("deep/placed/template.yaml"), one("db"));
    write("other/shop.yaml", "{}\n");
    let (code, said) = place("shop.yaml", &["-o", "other", "-e", "other/shop.yaml"]);
    assert!(code == Some(2) && said.contains("`other/shop.yaml` would be overwritten"), "{said}");
    fs::rename(here.join("cloud.yaml"), here.join("other/shop.yaml")).expect("moves");
    std::os::unix::fs::symlink("other/shop.yaml", here.join("cloud.yaml")).expect("links");
    let (code, said) = place("shop.yaml", &["-o", "other"]);
    assert!(code == Some(2) && said.contains("`other/shop.yaml` would be overwritten"), "{said}");
    assert_eq!(read("other/shop.yaml"), CLOUD);
}

/// On a cloud with three racks, the nodes of a cell survive the loss of a rack, and are near their deployment manager.
#[test]
fn connections_on_three_racks() {
    let cell = |nodes: usize| {
        connections::connections.model(serde_json::from_value(json!({ "nodes": nodes })).expect("settings"))
    };
    let stage = Stage::new(&cell(3));
    let here = stage.path();
    fs::write(here.join("cloud.yaml"), CLOUD).expect("writes");
    let place = |more: &[&str]| {
        let mut command = Command::new(wattle());
        command
            .args(["place", ".", "--hosts", "cloud.yaml", "--admin", "--format", "json"])
            .args(more)
            .current_dir(here);
        apart(&mut command, here).output().expect("wattle runs")
    };
    let ran = place(&[]);
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    let said: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let servers = said["servers"].as_array().expect("a list");
    assert_eq!(servers.len(), 9);
    let of = |name: &str, key: &str| {
        let server = servers.iter().find(|one| one["server"] == name).unwrap_or_else(|| panic!("{name}: {said}"));
        server[key].as_str().expect("text").to_owned()
    };
    let racks: std::collections::BTreeSet<String> = (1..=3).map(|n| of(&format!("cell.node{n}"), "rack")).collect();
    assert_eq!(racks.len(), 3, "{said}");
    // Two of the racks are in the same room: the manager is there, and servers that read much from others are near
    // them.
    assert_eq!(of("cell.manager", "room"), "hall", "{said}");
    assert!(said["bandwidth"]["all"].as_i64() > said["bandwidth"]["across_racks"].as_i64(), "{said}");
    let placed = fs::read_to_string(here.join("placed/template.yaml")).expect("reads");
    for server in servers {
        let zone = format!("availability_zone: \"nova:{}\"", server["host"].as_str().expect("text"));
        assert!(placed.contains(&zone), "{zone}");
    }
    let files = |folder: &Path| -> Vec<String> {
        let names = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().expect("text")).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(files(&here.join("placed")), ["environment.yaml", "seed.yaml", "template.yaml"]);
    // With more nodes than racks, the policy cannot hold. The author declared it, so the message names its place in the
    // source.
    stage.emit(&cell(4));
    let ran = place(&["--message-format", "json"]);
    assert_eq!((ran.status.code(), ran.stdout.len()), (Some(1), 0));
    let wrong = String::from_utf8(ran.stderr).expect("text");
    assert!(wrong.contains("4 servers must be in different racks, but there are only 3 known racks"), "{wrong}");
    assert!(wrong.contains("connections/src/websphere.rs"), "{wrong}");
}
