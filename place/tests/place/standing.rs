//! Running servers, and placements around them.

use std::collections::BTreeMap;

use wattle_heat::Loaded;
use wattle_heat::parameters::Inputs;
use wattle_model::Diagnostic;
use wattle_place::template::{Order, Placed, Runs, Way, placed};
use wattle_place::{Cloud, Effort, Flavors};

const HOSTS: &str = "
places: {r1: {is: rack, in: az1}, r2: {is: rack, in: az1}, r3: {is: rack, in: az2}, az1: {is: zone}, az2: {is: zone}}
defaults: {vcpus: 4, memory: 8 GiB, disk: 100}
hosts: {h1: {in: r1}, h2: {in: r2}, h3: {in: r3}}
flavors: {small: {vcpus: 2, memory: 1 GiB, disk: 10}}
";

/// Servers with these names and policies.
fn template(names: &[&str], policies: &str) -> String {
    let server = |name: &&str| {
        format!("  {name}:\n    type: OS::Nova::Server\n    properties:\n      image: i\n      flavor: small\n")
    };
    let servers: String = names.iter().map(server).collect();
    format!(
        "heat_template_version: 2021-04-16\nresources:\n{servers}  placement:\n    type: OS::Heat::None\n    metadata:\n      \
         wattle.placement:\n        policies: [{policies}]\n"
    )
}

fn on(host: &str, asked: &str) -> Runs {
    let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Runs { host: said(host), zone: None, asked: said(asked), group: None }
}

struct Case<'c> {
    text: &'c str,
    runs: Vec<(&'c str, Runs)>,
    moves: bool,
    is_admin: bool,
}

impl Case<'_> {
    fn run(&self) -> Result<Placed, Vec<Diagnostic>> {
        let (cloud, _) = Cloud::read(HOSTS, "cloud.yaml").expect("a cloud");
        let loaded = Loaded::load(self.text, "template.yaml", &BTreeMap::<String, Vec<u8>>::new(), &Inputs::default());
        let runs = self.runs.iter().map(|(name, runs)| ((*name).to_owned(), runs.clone())).collect();
        placed(Order {
            loaded: &loaded,
            text: &|_| Some(self.text.to_owned()),
            said: &|_| None,
            wires: &[],
            cloud: &cloud,
            flavors: &Flavors::default(),
            runs: &runs,
            moves: self.moves,
            is_admin: self.is_admin,
            effort: Effort::default(),
        })
    }
}

/// The placed template, and the place of each server.
fn found(placed: &Placed) -> (String, Vec<(&str, &str, Way)>) {
    let text = placed.files.first().map(|(_, text)| text.clone()).unwrap_or_default();
    (text, placed.servers.iter().map(|one| (&*one.server, &*one.host.name, one.way)).collect())
}

#[test]
fn what_runs_stays_and_its_template_does_not_change() {
    let text = template(&["a", "b", "c"], "{together: [a, c], preferred: 50}, {apart: [a, b]}");
    let case = Case {
        text: &text,
        // One was created by an earlier placement, has been migrated since, and one was never placed.
        runs: vec![("a", on("h2", "az1:h1")), ("b", on("h1", ""))],
        moves: false,
        is_admin: true,
    };
    let placed = case.run().expect("a placement");
    let (text, servers) = found(&placed);
    assert_eq!(servers, [("a", "h2", Way::Stays), ("b", "h1", Way::Stays), ("c", "h2", Way::Host)]);
    let zones: Vec<&str> = text.lines().filter(|line| line.contains("availability_zone")).map(str::trim).collect();
    assert_eq!(zones, ["availability_zone: \"az1:h1\"", "availability_zone: \"az1:h2\""], "{text}");
    assert!(placed.warnings.is_empty(), "{:?}", placed.warnings);
}

#[test]
fn what_runs_uses_what_it_asks_for_even_if_the_hosts_file_does_not_say_so() {
    let text = template(&["a", "b", "c"], "{near: [a, b, c], within: host, preferred: 100}");
    let runs = vec![("a", on("h1", "az1:h1")), ("b", on("h1", "az1:h1"))];
    let placed = Case { text: &text, runs, moves: false, is_admin: true }.run().expect("a placement");
    let (_, servers) = found(&placed);
    assert_ne!(servers[2].1, "h1", "it is full");
}

#[test]
fn servers_move_only_if_they_may_and_are_known_to_be_somewhere() {
    let text = template(&["a", "b"], "{apart: [a, b]}");
    let both = || vec![("a", on("h1", "az1:h1")), ("b", on("h1", "az1:h1"))];
    let wrong = Case { text: &text, runs: both(), moves: false, is_admin: true }.run().expect_err("they share a host");
    assert!(wrong[0].help.iter().any(|help| help.contains("--move")), "{wrong:?}");
    let placed = Case { text: &text, runs: both(), moves: true, is_admin: true }.run().expect("a placement");
    let moved: Vec<_> = placed.servers.iter().filter(|one| one.leaves.as_deref() == Some("h1")).collect();
    assert_eq!((moved.len(), placed.placement.verdict.moves, moved[0].way), (1, 1, Way::Host));
    let lost = vec![("a", Runs::default()), ("b", on("h1", ""))];
    let placed = Case { text: &text, runs: lost, moves: true, is_admin: true }.run().expect("a placement");
    assert_eq!(placed.servers[0].way, Way::Somewhere);
    assert!(placed.files.iter().all(|(_, text)| !text.contains("availability_zone")), "{:?}", placed.files);
    let said = &placed.warnings[0];
    assert!(said.labels[0].text.contains("`a` runs already, but it is not known where"), "{said:?}");
}

#[test]
fn whoever_wants_a_server_elsewhere_gets_another_one() {
    let text = template(&["a"], "").replace("flavor: small", "flavor: small\n      availability_zone: az2");
    let placed = Case { text: &text, runs: vec![("a", on("h1", "az1"))], moves: false, is_admin: false }.run();
    assert_eq!(found(&placed.expect("a placement")).1, [("a", "h3", Way::Zone)]);
    // The host was the placement's choice, and the zone is still as its author wants it.
    let text = text.replace("az2", "az1");
    let placed = Case { text: &text, runs: vec![("a", on("h2", "az1:h2"))], moves: false, is_admin: true }.run();
    let placed = placed.expect("a placement");
    let (text, servers) = found(&placed);
    assert!(servers == [("a", "h2", Way::Stays)] && text.contains("availability_zone: \"az1:h2\""), "{text}");
}

#[test]
fn a_host_that_the_file_does_not_have_is_a_warning() {
    let text = template(&["a", "b"], "{apart: [a, b]}");
    let placed =
        Case { text: &text, runs: vec![("a", on("h9", ""))], moves: false, is_admin: true }.run().expect("one");
    assert_eq!(found(&placed).1[0], ("a", "h9", Way::Stays));
    let warning = &placed.warnings[0];
    assert!(warning.message.contains("runs on `h9`, which the hosts file does not have"), "{warning:?}");
}

#[test]
fn a_server_group_of_an_earlier_placement_is_kept_and_grows() {
    let in_group = || Runs {
        zone: Some("az1".to_owned()),
        asked: Some("az1".to_owned()),
        group: Some(("wattle_apart_1".to_owned(), "anti-affinity".to_owned())),
        host: None,
    };
    let text = template(&["a", "b", "c"], "{apart: [a, b, c]}");
    let runs = || vec![("a", in_group()), ("b", in_group())];
    let placed = Case { text: &text, runs: runs(), moves: false, is_admin: false }.run().expect("a placement");
    let (text, servers) = found(&placed);
    assert_eq!(servers.iter().map(|one| one.2).collect::<Vec<_>>(), [Way::Somewhere, Way::Somewhere, Way::Zone]);
    assert_eq!(text.matches("wattle_apart_1").count(), 4, "a definition and three members: {text}");
    assert_eq!(
        text.matches("availability_zone: \"az1\"").count() + text.matches("availability_zone: \"az2\"").count(),
        3
    );
    assert!(placed.warnings.is_empty(), "{:?}", placed.warnings);
    // No policy requires it any more, and its members stay in it.
    let text = template(&["a", "b", "c"], "");
    let placed = Case { text: &text, runs: runs(), moves: false, is_admin: true }.run().expect("a placement");
    assert_eq!(found(&placed).0.matches("wattle_apart_1").count(), 3);
}
