//! Keys of servers, and the authority that signs their certificates.

use std::fs;
use std::path::Path;
use std::process::Command;

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::certificates::Authority;
use wattle_tests::running::{Stage, to_its_end};

use crate::stage::{Judges, can_run, heat_takes, network, server, value};

/// The requests of two servers, and the addresses that these servers claim to have.
#[derive(Parameters)]
pub(crate) struct Asked {
    #[parameter]
    honest: Parameter<String>,
    #[parameter]
    other: Parameter<String>,
    #[parameter(default = "10.9.0.1")]
    first: Parameter<IpAddr>,
    #[parameter]
    second: Parameter<IpAddr>,
}

/// One server requests a regular certificate, and another one an arbitrary one.
#[blueprint]
pub(crate) fn vouched(t: &mut Topology, p: Asked) -> Exports {
    let network = network(t);
    let (vault, _) = server(t, "vault", network);
    let authority = Authority::new().requests(vec![p.honest, p.other]).addresses(vec![p.first, p.second]).days(30_u32);
    let authority = t.on(vault).run("authority", authority);
    Exports::new().entry("authority", authority.authority).entry("certificates", authority.certificates)
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &vouched.model(Default::default()));
}

fn openssl(place: &Path, arguments: &str) -> String {
    let ran = to_its_end(Command::new("openssl").args(arguments.split(' ')).current_dir(place));
    assert_eq!(ran.code, Some(0), "openssl {arguments}: {ran}");
    ran.out
}

/// Brings it up; returns the authority.
fn up(place: &Path, other: &str, second: &str) -> (Stage, Option<i32>, String) {
    let stage = Stage::new(&vouched.model(Default::default()));
    let file = |name: &str, file: &str| format!("{name}={}", place.join(file).display());
    let (honest, other, second) = (file("honest", "honest.csr"), file("other", other), format!("second={second}"));
    let files = ["--parameter-file", &honest, "--parameter-file", &other, "--parameter", &second];
    let ran = stage.run(&[&["up", "--detach", "--until-done"][..], &files].concat());
    let said = format!("{ran}{}", stage.ask(&["status", "--why"]));
    (stage, ran.code, said)
}

/// A server gets no more than its address, whatever it requests. Without the key, or with another's address: nothing.
#[test]
fn the_authority_decides_what_a_certificate_is_for() {
    if !can_run("parts: certificates", &["/usr/bin/openssl", "/usr/bin/jq"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let new = "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(place, &format!("{new} -keyout honest.key -out honest.csr -subj /CN=key"));
    openssl(
        place,
        &format!(
            "{new} -keyout greedy.key -out greedy.csr -subj /CN=10.9.0.1 \
         -addext subjectAltName=IP:10.9.0.1,DNS:vault -addext basicConstraints=critical,CA:TRUE \
         -addext keyUsage=critical,keyCertSign"
        ),
    );
    let (stage, code, said) = up(place, "greedy.csr", "10.9.0.2");
    assert_eq!(code, Some(0), "{said}");
    let certificates: Vec<String> = serde_json::from_str(&value(&stage, "vault/authority/certificates")).unwrap();
    fs::write(place.join("ca.pem"), value(&stage, "vault/authority/authority") + "\n").unwrap();
    for (certificate, address) in certificates.iter().zip(["10.9.0.1", "10.9.0.2"]) {
        fs::write(place.join("one.pem"), certificate).unwrap();
        let says = openssl(
            place,
            "x509 -in one.pem -noout -subject -enddate -ext subjectAltName,basicConstraints,keyUsage,extendedKeyUsage",
        );
        assert!(says.contains(&format!("subject=CN = {address}\n")) && says.contains("CA:FALSE"), "{says}");
        assert!(says.contains(&format!("IP Address:{address}\n")) && !says.contains("DNS:"), "{says}");
        assert!(!says.contains("Certificate Sign"), "{says}");
        let both = format!("-CAfile ca.pem -purpose sslserver -verify_ip {address} one.pem");
        assert!(openssl(place, &format!("verify {both}")).contains("OK"));
        // The certificate is valid for 30 days, as requested.
        openssl(place, &format!("x509 -in one.pem -noout -checkend {}", 29 * 24 * 60 * 60));
        let late = to_its_end(
            Command::new("openssl")
                .args(["x509", "-in", "one.pem", "-noout", "-checkend", "2678400"])
                .current_dir(place),
        );
        assert_eq!(late.code, Some(1), "{late}");
    }
    stage.run(&["down"]);

    // Duplicate addresses are found in any notation.
    for address in ["10.9.0.1", "::ffff:10.9.0.1", "0:0::ffff:a09:1"] {
        let (stage, code, said) = up(place, "greedy.csr", address);
        assert!(code == Some(1) && said.contains("several servers have one address"), "{address}: {said}");
        stage.run(&["down"]);
    }

    // Someone else's key, without proof of possession.
    let text = fs::read_to_string(place.join("greedy.csr")).unwrap();
    let end = text.rfind("\n-----END").unwrap() - 8;
    let other = if &text[end..=end] == "A" { "B" } else { "A" };
    fs::write(place.join("forged.csr"), format!("{}{other}{}", &text[..end], &text[end + 1..])).unwrap();
    let (stage, code, said) = up(place, "forged.csr", "10.9.0.2");
    assert!(code == Some(1) && said.contains("address 10.9.0.2 cannot be signed"), "{said}");
    stage.run(&["down"]);
}
