//! A stack adopts resources that were in the cloud before.

use serde_json::{Value, json};
use wattle_openstack::session::Call;
use wattle_openstack::{Method, Session};
use wattle_tests::cloud::CloudProcess;
use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};

use super::KEY;

/// Further resources of the shop.
const MORE: &str = "resources:
  lan: {type: OS::Neutron::Net, properties: {name: lan}}
  lan-subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: lan}, cidr: 10.9.0.0/24}}
  disk: {type: OS::Cinder::Volume, properties: {name: disk, size: 2}}
  box: {type: OS::Nova::Server, properties: {name: box, flavor: m1.small, image: debian-12, networks: [{network: {get_resource: lan}}]}}
  held: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: box}, volume_id: {get_resource: disk}}}
";

/// IDs of resources that a plain client has created.
#[derive(Debug)]
struct Made {
    lan: String,
    subnet: String,
    disk: String,
    machine: String,
}

async fn make(session: &Session, service: &'static str, path: &str, key: &str, body: Value) -> String {
    let made = session.call(Call::new(service, Method::Post, path).body(json!({ key: body }))).await.expect("made");
    made[key]["id"].as_str().expect("an id").to_owned()
}

async fn is_so(session: &Session, service: &'static str, path: &str, key: &str, status: &str) {
    while session.call(Call::new(service, Method::Get, path)).await.expect("there")[key]["status"] != status {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Creates some resources, without any deployment.
fn made(site: &Site<CloudProcess>) -> Made {
    site.at_cloud(async |session| {
        let lan = make(session, "network", "/networks", "network", json!({ "name": "lan" })).await;
        let subnet = json!({ "network_id": lan, "ip_version": 4, "cidr": "10.9.0.0/24", "name": "by hand" });
        let subnet = make(session, "network", "/subnets", "subnet", subnet).await;
        let disk = make(session, "block-storage", "/volumes", "volume", json!({ "name": "disk", "size": 1 })).await;
        let images = session.list(Call::new("image", Method::Get, "/images"), "images").await.expect("images");
        let machine =
            json!({ "name": "box", "flavorRef": "2", "imageRef": images[0]["id"], "networks": [{ "uuid": lan }] });
        let machine = make(session, "compute", "/servers", "server", machine).await;
        is_so(session, "compute", &format!("/servers/{machine}"), "server", "ACTIVE").await;
        is_so(session, "block-storage", &format!("/volumes/{disk}"), "volume", "available").await;
        let attached = Call::new("compute", Method::Post, format!("/servers/{machine}/os-volume_attachments"));
        session.call(attached.body(json!({ "volumeAttachment": { "volumeId": disk } }))).await.expect("attached");
        Made { lan, subnet, disk, machine }
    })
}

/// A site whose shop has further resources, and the resources that already exist in its cloud.
fn site() -> (Site<CloudProcess>, Made) {
    let site = Site::at(CloudProcess::start(&[]), "demo");
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    std::fs::write(&template, emitted.replacen("resources:\n", MORE, 1)).expect("writes");
    let made = made(&site);
    (site, made)
}

fn volumes(site: &Site<CloudProcess>) -> Vec<Value> {
    site.there().remove("volumes").expect("it is looked at")
}

/// The IDs of all resources under `key`.
fn ids(site: &Site<CloudProcess>, key: &str) -> Vec<String> {
    site.there()[key].iter().map(|item| item["id"].as_str().expect("text").to_owned()).collect()
}

fn adopt(site: &Site<CloudProcess>, things: &[String], more: &[&str]) -> wattle_tests::running::Ran {
    let things: Vec<&str> = things.iter().map(String::as_str).collect();
    site.ask(&[&["adopt", ".", "-P", PASSWORD][..], more, &things].concat())
}

fn all(made: &Made) -> Vec<String> {
    let Made { lan, subnet, disk, machine } = made;
    vec![format!("box={machine}"), format!("lan={lan}"), format!("lan-subnet={subnet}"), format!("disk={disk}")]
}

#[test]
fn what_was_there_is_taken_over_and_nothing_new_is_made() {
    let (site, made) = site();
    let ran = adopt(&site, &all(&made), &[]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.out.contains("`disk` is taken over (OS::Cinder::Volume, "), "{ran}");
    assert!(ran.out.contains("`size` is 1, but should be 2"), "{ran}");
    assert_eq!(ids(&site, "servers"), std::slice::from_ref(&made.machine), "nothing has changed");
    let ran = site.ask(&[&["plan", ".", "--cloud", "simulated", "-P", PASSWORD][..], &KEY].concat());
    assert_eq!(ran.code, Some(4), "{ran}");
    let line =
        |name: &str| ran.out.lines().find(|line| line.trim_start().contains(&format!(" {name} "))).unwrap_or_default();
    for name in ["box", "lan", "lan-subnet", "disk"] {
        assert!(line(name).contains("update") || line(name).contains('~'), "{name}: {ran}");
    }
    assert!(ran.out.contains("in the cloud it was taken over, and differs: `size` is 1, but should be 2"), "{ran}");
    let said = site.deployed(&KEY);
    for name in ["box", "lan", "lan-subnet", "disk"] {
        assert!(said.contains(&format!("✓ {name} changed")) && !said.contains(&format!("✓ {name} created")), "{said}");
    }
    // Beyond the shop's resources, there are those of `MORE` and the box's own port: one more server, network, port,
    // subnet and volume.
    assert_eq!(SHOP, [4, 1, 5, 1, 3, 1, 1, 0, 0, 0]);
    assert_eq!(site.counts(), [5, 2, 6, 1, 3, 1, 2, 1, 0, 0]);
    assert!(ids(&site, "servers").contains(&made.machine) && ids(&site, "networks").contains(&made.lan));
    let [disk] = &volumes(&site)[..] else { panic!("{:?}", volumes(&site)) };
    assert_eq!((&disk["id"], &disk["size"], &disk["status"]), (&json!(made.disk), &json!(2), &json!("in-use")));
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓'), "{said}");
    let ran = adopt(&site, &[format!("disk={}", made.disk)], &KEY);
    assert!(ran.code == Some(2) && ran.err.contains(&format!("`disk` already exists: {}", made.disk)), "{ran}");
    // Adopted resources belong to the stack.
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}

#[test]
fn what_was_not_deployed_yet_is_left_by_whoever_destroys() {
    let (site, made) = site();
    assert_eq!(adopt(&site, &all(&made), &[]).code, Some(0));
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!((ids(&site, "servers"), ids(&site, "volumes")), (vec![made.machine.clone()], vec![made.disk.clone()]));
    let disk = &volumes(&site)[0];
    assert_eq!((&disk["metadata"], &disk["size"]), (&json!({}), &json!(1)));
}

#[test]
fn what_another_template_cannot_make_of_it_is_replaced_and_the_plan_says_so() {
    let (site, made) = site();
    assert_eq!(adopt(&site, &all(&made), &[]).code, Some(0));
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let other = emitted.replace("size: 2}", "size: 2, availability_zone: nova, snapshot_id: null, description: x}");
    std::fs::write(&template, other.replace("10.9.0.0/24", "10.10.0.0/24")).expect("writes");
    let ran = site.ask(&[&["plan", ".", "--cloud", "simulated", "-P", PASSWORD][..], &KEY].concat());
    assert!(ran.out.contains("was taken over, and has to be replaced"), "{ran}");
    assert!(ran.out.contains("2 to replace") || ran.out.contains("1 to replace"), "{ran}");
}

#[test]
fn what_cannot_be_taken_over_is_said_and_nothing_is_written() {
    let (site, made) = site();
    let others = site.at_cloud(async |session| {
        make(session, "network", "/networks", "network", json!({ "description": "of wattle:other-0a1b2c:1-7" })).await
    });
    let nothing = "0d1f8a3e-5d56-4a41-8a7b-2f9f0e7f1b11";
    let Made { lan, subnet, disk, machine } = &made;
    for (things, says) in [
        (vec![format!("bx={machine}")], "the template has no resource `bx`"),
        (vec![format!("bx={machine}")], "did you mean `box`?"),
        (vec!["box".to_owned()], "`box` is not NAME=ID"),
        (vec![format!("box={machine}"), format!("disk={machine}")], "cannot both be"),
        (vec![format!("disk={nothing}")], "the project has nothing with the id `0d1f8a3e"),
        (vec![format!("disk={machine}")], "is OS::Nova::Server"),
        (vec![format!("lan={others}")], "already belongs to the deployment `other-0a1b2c`"),
        (vec![format!("lan-subnet={subnet}")], "adopt both together"),
        (vec![format!("db={machine}")], " has no agent"),
        (vec![format!("held={disk}")], "`wattle deploy` finds what is already joined"),
        (vec![format!("lan={nothing}"), format!("disk={lan}")], "2 things are wrong, and nothing was taken over"),
    ] {
        let ran = adopt(&site, &things, &[]);
        assert!(ran.code == Some(2) && ran.err.contains(says), "{things:?}: {ran}");
        assert!(!site.path().join("operator.key").exists(), "{things:?}: no key is left behind");
    }
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    std::fs::write(&template, emitted.replace("10.9.0.0/24", "10.10.0.0/24")).expect("writes");
    let ran = adopt(&site, &[format!("lan={lan}"), format!("lan-subnet={subnet}")], &[]);
    let says = "cannot become `lan-subnet`: `cidr` is \"10.9.0.0/24\", but should be \"10.10.0.0/24\"";
    assert!(ran.code == Some(2) && ran.err.contains(says), "{ran}");
}
