//! Converting OpenStack's metadata to attributes.

use std::os::unix::fs::PermissionsExt as _;

use super::source::{mount_point, parse};
use super::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use wattle::model::Step;

const META: &str = r#"{"uuid": "8c1f", "name": "shop-db-x7", "hostname": "shop-db-x7.novalocal"}"#;
const NETWORK: &str = r#"{
    "links": [
        {"id": "tap1", "type": "ovs", "ethernet_mac_address": "fa:16:3e:00:00:01", "mtu": 1500},
        {"id": "tap2", "type": "ovs", "ethernet_mac_address": "fa:16:3e:00:00:02"}
    ],
    "networks": [
        {"id": "network0", "type": "ipv4", "link": "tap1", "ip_address": "10.0.0.5", "netmask": "255.255.0.0", "network_id": "c3f2"},
        {"id": "network1", "type": "ipv6", "link": "tap1", "ip_address": "fd00::5/64", "network_id": "c3f2"},
        {"id": "network2", "type": "ipv4_dhcp", "link": "tap2", "network_id": "d4e5"}
    ],
    "services": []
}"#;

fn networks() -> IndexMap<Name, Name> {
    [("backbone", "c3f2"), ("public", "d4e5")].map(|(name, id)| (name.into(), id.into())).into_iter().collect()
}

fn attribute(name: &str, path: &[Step]) -> SeedAttribute {
    SeedAttribute { attribute: name.into(), path: path.to_vec() }
}

#[tokio::test]
async fn networks_are_named_as_in_the_model() {
    let metadata = Metadata::new(networks());
    let local = [("FA:16:3E:00:00:02".to_owned(), "203.0.113.7".parse().unwrap())];
    let (meta, network) = (parse("m", META.as_bytes()).unwrap(), parse("n", NETWORK.as_bytes()).unwrap());
    let known = metadata.attributes(&meta, &network, &local);
    let get = async |name: &str, path: &[Step]| known.get(&attribute(name, path)).await;
    let backbone = Step::Resource("backbone".into());
    assert_eq!(get("networks", &[backbone.clone(), Step::Index(0)]).await, Ok("10.0.0.5".into()));
    assert_eq!(get("networks", &[backbone.clone(), Step::Index(1)]).await, Ok("fd00::5".into()));
    assert_eq!(get("networks", &[Step::Resource("public".into()), Step::Index(0)]).await, Ok("203.0.113.7".into()));
    assert_eq!(get("networks", &[Step::Key("c3f2".into()), Step::Index(0)]).await, Ok("10.0.0.5".into()));
    let mac = Step::Key("OS-EXT-IPS-MAC:mac_addr".into());
    assert_eq!(get("addresses", &[backbone, Step::Index(0), mac]).await, Ok("fa:16:3e:00:00:01".into()));
    assert_eq!(get("id", &[]).await, Ok("8c1f".into()));
    assert_eq!(get("name", &[]).await, Ok("shop-db-x7".into()));
    assert_eq!(get("accessIPv4", &[]).await, Ok("10.0.0.5".into()));
    assert_eq!(get("accessIPv6", &[]).await, Ok("fd00::5".into()));
}

#[tokio::test]
async fn what_cannot_be_found_is_reported() {
    let (meta, network) = (parse("m", META.as_bytes()).unwrap(), NetworkData::default());
    let known = Metadata::new(networks()).attributes(&meta, &network, &[]);
    let get = async |name: &str, path: &[Step]| known.get(&attribute(name, path)).await;
    assert_eq!(get("console_urls", &[]).await.unwrap_err(), "this server has no attribute `console_urls`");
    assert_eq!(
        get("networks", &[Step::Resource("backbone".into())]).await.unwrap_err(),
        "there is no `backbone` in it"
    );
    assert!(get("id", &[Step::Index(0)]).await.unwrap_err().starts_with("expected a list with an item 0"));
}

#[tokio::test]
async fn the_service_is_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = format!("http://{}/openstack/latest/", listener.local_addr().unwrap()).parse().unwrap();
    let server = async {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 1024];
            let read = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let (status, body) = match request.split_whitespace().nth(1).unwrap() {
                "/openstack/latest/meta_data.json" => ("200 OK", META),
                "/openstack/latest/network_data.json" => ("200 OK", NETWORK),
                _ => ("404 Not Found", ""),
            };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    };
    let metadata = Metadata::at(networks(), place);
    let wanted = attribute("networks", &[Step::Resource("backbone".into()), Step::Index(0)]);
    tokio::select! {
        () = server => {}
        got = metadata.get(&wanted) => assert_eq!(got, Ok("10.0.0.5".into())),
    }
}

#[tokio::test]
async fn a_service_that_does_not_answer_is_reported() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let place = format!("http://{gone}/openstack/latest").parse().unwrap();
    let metadata = Metadata { patience: Duration::ZERO, ..Metadata::at(networks(), place) };
    let why = metadata.get(&attribute("id", &[])).await.unwrap_err();
    assert!(
        why.starts_with(&format!("cannot read `meta_data.json` from OpenStack's metadata service at {gone}")),
        "{why}"
    );
}

#[test]
fn the_config_drive_is_mounted_where_nobody_else_was() {
    let temporary = tempfile::tempdir().unwrap();
    let [one, other] = [(); 2].map(|()| mount_point(temporary.path()).unwrap());
    let pid = std::process::id().to_string();
    assert!(one != other && !one.to_str().unwrap().ends_with(&pid), "{one:?} can be guessed");
    assert_eq!(std::fs::symlink_metadata(&one).unwrap().permissions().mode() & 0o777, 0o700);
}
