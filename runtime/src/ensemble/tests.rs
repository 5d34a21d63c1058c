//! The user data of a member's server.

use std::process::Command;

use super::*;

fn members() -> Vec<Member> {
    (1..=3_u8)
        .map(|last| Member { address: [10, 87, 0, last].into(), floating: Some([203, 0, 113, last].into()) })
        .collect()
}

#[test]
fn clients_find_members_by_floating_ips_where_there_are_any() {
    assert_eq!(hosts(&members()), "203.0.113.1:2281,203.0.113.2:2281,203.0.113.3:2281");
    let there = Member { address: "fd00::1".parse().unwrap(), floating: None };
    assert_eq!(hosts(&[there]), "[fd00::1]:2281");
}

#[test]
fn user_data_is_a_script_that_fits_and_has_its_own_key_alone() {
    let issued = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\none\n-----END CERTIFICATE-----\n";
    let script = user_data(2, &members(), issued, "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n");
    assert!(script.len() < 40_000, "{} bytes", script.len());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("user_data");
    // Print the inputs instead of running the recipe.
    let shown = script.replace("exec sh \"$folder/zookeeper.sh\"", "cat \"$key\"; env");
    std::fs::write(&file, shown).unwrap();
    let ran = Command::new("sh").arg(&file).env("WATTLE_SPACE_FOLDER", folder.path().join("own")).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.starts_with("-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n"), "{said}");
    for line in [
        "address=10.87.0.2",
        "number=2",
        r#"members=["10.87.0.1","10.87.0.2","10.87.0.3"]"#,
        r#"certificates=["","-----BEGIN CERTIFICATE-----\none\n-----END CERTIFICATE-----\n",""]"#,
    ] {
        assert!(said.lines().any(|other| other == line), "no `{line}` in {said}");
    }
    for (name, text) in [("lib.sh", include_str!("lib.sh")), ("zookeeper.sh", include_str!("zookeeper.sh"))] {
        assert_eq!(std::fs::read_to_string(folder.path().join("own").join(name)).unwrap(), text);
    }
}

#[test]
fn whatever_is_in_a_certificate_is_a_value_and_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let hostile =
        |name: &str| format!("'; touch {}; : '\n$(id)\nEND OF THE FILE\n", folder.path().join(name).display());
    let issued = format!("{}-----BEGIN CERTIFICATE-----\n{}", hostile("key"), hostile("certificate"));
    let authority = hostile("authority");
    let script = user_data(1, &members(), &issued, &authority);
    let shown = script.replace("exec sh \"$folder/zookeeper.sh\"", "cat \"$key\"; printf '%s\\n' \"$trusted\"");
    let file = folder.path().join("user_data");
    std::fs::write(&file, shown).unwrap();
    let ran = Command::new("sh").arg(&file).env("WATTLE_SPACE_FOLDER", folder.path().join("own")).output().unwrap();
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), hostile("key") + &authority);
    for name in ["key", "certificate", "authority"] {
        assert!(!folder.path().join(name).exists(), "{name} was run");
    }
}

#[test]
fn servers_come_once_their_user_data_is_known() {
    let ground = Ground {
        image: "debian-12".into(),
        flavor: "m1.small".into(),
        network: Network::There("lan".into()),
        key_name: None,
    };
    let names = |text: &str| {
        let template: Value = serde_json::from_str(text).unwrap();
        template["resources"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&template(&ground, &[])), ["members", "apart", "port1", "port2", "port3"]);
    let scripts = ["1".to_owned(), "2".to_owned(), "3".to_owned()];
    assert_eq!(names(&template(&ground, &scripts)).last().unwrap(), "zookeeper3");
    let ground = Ground { network: Network::Floating("public".into()), ..ground };
    assert_eq!(names(&template(&ground, &[])).len(), 12);
}
