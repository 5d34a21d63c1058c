//! OpenLDAP.

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::openldap::OpenLdap;
use wattle_tests::running::Stage;

use crate::stage::{Judges, authority, can_run, client, down, heat_takes, network, server, up, value};

/// The first entries of the directory.
#[derive(Clone, Deserialize)]
#[serde(default)]
pub(crate) struct People {
    entries: String,
}

impl Default for People {
    fn default() -> Self {
        let people = "dn: ou=people,dc=example,dc=com\nobjectClass: organizationalUnit\nou: people\n";
        let ann = "dn: uid=ann,ou=people,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: ann\ncn: Ann\nsn: Ash\n";
        Self { entries: format!("{people}\n{ann}userPassword: ann's\n") }
    }
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// Password of the administrator.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// Two directories for one domain. One of them has people.
#[blueprint]
pub(crate) fn directories(t: &mut Topology, p: Settings, people: People) -> Exports {
    let network = network(t);
    let mut exports = Exports::new();
    for name in ["people", "empty"] {
        let (host, address) = server(t, name, network);
        let mut directory = OpenLdap::new().address(address).domain("example.com").admin_password(p.password);
        if name == "people" {
            directory = directory.entries(people.entries.as_str());
        }
        let directory = t.on(host).run("directory", directory);
        let all = text!("{} {} {}", directory.url, directory.base_dn, directory.bind_dn);
        exports = exports.entry(name, all);
    }
    exports
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &directories.model(People::default()));
}

const PROGRAMS: [&str; 2] = ["/usr/sbin/slapd", "/usr/bin/ldapsearch"];
const BASE: &str = "dc=example,dc=com";
const ADMIN: &str = "cn=admin,dc=example,dc=com";

#[test]
fn people_are_found_by_who_is_logged_in() {
    if !can_run("parts: OpenLDAP", &PROGRAMS) {
        return;
    }
    let password = "a\\d \"min's $HOME";
    let stage = up(&directories.model(People::default()), password);
    let urls = ["people", "empty"].map(|name| value(&stage, &format!("{name}/directory/url")));
    assert_eq!(value(&stage, "people/directory/base_dn"), BASE);
    assert_eq!(value(&stage, "people/directory/bind_dn"), ADMIN);
    let search = |url: &str, who: &[&str]| {
        client("ldapsearch", &[], &[&["-x", "-LLL", "-H", url, "-b", BASE], who, &["uid=ann"]].concat())
    };
    let ann = "uid=ann,ou=people,dc=example,dc=com";
    let found = search(&urls[0], &["-D", ADMIN, "-w", password]);
    assert!(found.contains("sn: Ash") && found.contains("userPassword:"), "{found}");
    assert!(!found.contains("userPassword:: YW5uJ3M="), "no password is kept as it is: {found}");
    let own = search(&urls[0], &["-D", ann, "-w", "ann's"]);
    assert!(own.contains("sn: Ash") && !own.contains("userPassword:"), "{own}");
    assert_eq!(search(&urls[1], &["-D", ADMIN, "-w", password]), "", "the other one is another one");
    let anonymous = ["-x", "-H", &urls[0], "-b", BASE];
    let anonymous = std::process::Command::new("ldapsearch").args(anonymous).output().expect("starts");
    assert!(!anonymous.status.success(), "{anonymous:?}");
    let bob = stage.path().join("bob.ldif");
    let ldif = format!("dn: cn=bob,{BASE}\nobjectClass: person\ncn: bob\nsn: Birch\n");
    std::fs::write(&bob, ldif).expect("writes");
    let bob = bob.to_str().expect("text");
    client("ldapadd", &[], &["-x", "-H", &urls[0], "-D", ADMIN, "-w", password, "-f", bob]);
    down(&stage, &[&urls[0], &urls[1]]);
    assert_eq!(stage.files_with(password), Vec::<String>::new());

    // The next start finds the existing data, and accepts another password.
    let again = stage.run(&["up", "--detach", "--until-done", "--parameter", "password=another"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert!(search(&urls[0], &["-D", ADMIN, "-w", "another"]).contains("sn: Ash"));
    let all = client("ldapsearch", &[], &["-x", "-LLL", "-H", &urls[0], "-b", BASE, "-D", ADMIN, "-w", "another"]);
    assert!(all.contains("sn: Birch"), "{all}");
    down(&stage, &[&urls[0], &urls[1]]);
    assert!(authority(&urls[0]).ends_with(":389"), "{urls:?}");
}

#[test]
fn entries_that_it_does_not_take_are_a_failure() {
    if !can_run("parts: OpenLDAP with other entries", &PROGRAMS) {
        return;
    }
    let entries =
        format!("{}\n\ndn: uid=bob,{BASE}\nobjectClass: inetOrgPerson\nuid: bob\n", People::default().entries);
    let stage = Stage::new(&directories.model(People { entries }));
    let up = stage.run(&["up", "--until-done", "--parameter", "password=x"]);
    assert_eq!(up.code, Some(1), "{up}");
    assert!(format!("{up}").contains("the directory does not take the entries"), "{up}");
    assert!(format!("{up}").contains("requires attribute"), "{up}");
}
