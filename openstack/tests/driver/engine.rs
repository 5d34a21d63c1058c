//! The engine itself, with this driver: successive desired states, failures, drift, and lost responses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use serde_json::{Value as Json, json};
use wattle_cloud::{Doing, Rule, Setting};
use wattle_converge::{
    Desire, Event, Id, Known, Limits, Notice, Outcome, Sight, State, Step, Stored, Target, Thing, Time, Wanted, What,
};
use wattle_model::{Name, Value};
use wattle_openstack::driver::{Expected, Rows, kind};
use wattle_openstack::{Method, Transport as _};

use super::jobs::{Jobs, value};
use super::stage::Stage;

/// Resources by name: a type and properties, in which `@NAME` stands for another one's id and `@NAME.ATTRIBUTE` for its
/// attribute.
#[derive(Debug)]
struct Template(BTreeMap<&'static str, (&'static str, Json)>);

impl Template {
    fn of<const N: usize>(resources: [(&'static str, &'static str, Json); N]) -> Self {
        Self(resources.into_iter().map(|(name, ty, properties)| (name, (ty, properties))).collect())
    }
}

fn references(properties: &Json) -> BTreeSet<String> {
    match properties {
        Json::String(text) => {
            text.strip_prefix('@').map(|name| name.split('.').next().unwrap_or(name).to_owned()).into_iter().collect()
        }
        Json::Array(items) => items.iter().flat_map(references).collect(),
        Json::Object(map) => map.values().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

fn resolved(properties: &Json, known: &Known<'_>) -> Json {
    match properties {
        Json::String(text) => {
            let Some(reference) = text.strip_prefix('@') else { return properties.clone() };
            let (name, attribute) = reference.split_once('.').unwrap_or((reference, "reference"));
            let thing = known.thing(name).expect("a dependency");
            match thing.attributes.get(attribute) {
                Some(value) => serde_json::to_value(value).expect("JSON"),
                None => json!(&*thing.phys),
            }
        }
        Json::Array(items) => items.iter().map(|item| resolved(item, known)).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), resolved(value, known))).collect(),
        other => other.clone(),
    }
}

impl Target for Template {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        let of = |ty: &str, properties: &Json| {
            // A dependency that Heat detects by itself: a floating IP needs the route to the external network.
            let way = (ty == "OS::Neutron::FloatingIPAssociation").then(|| "way".to_owned());
            references(properties).into_iter().chain(way).map(Name::from).collect()
        };
        self.0.iter().map(|(name, (ty, properties))| ((*name).into(), of(ty, properties))).collect()
    }

    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String> {
        let (ty, properties) = &self.0[name];
        let kind = kind(ty).expect("a kind");
        let schema = wattle_heat::schema::schema(ty).expect("one of Heat's");
        let properties = resolved(properties, known);
        let is_fixed = |key: &str| !schema.properties[key].updatable || kind.fixed().contains(&key);
        let map = properties.as_object().expect("a map");
        let (fixed, free): (Vec<_>, Vec<_>) = map.iter().partition(|(key, _)| is_fixed(key));
        let properties = value(&properties);
        Ok(Wanted {
            kind: (*ty).into(),
            fixed: format!("{fixed:?}").into(),
            free: format!("{free:?}").into(),
            varying: BTreeMap::new(),
            shows: BTreeSet::new(),
            exclusive: kind.exclusive(&properties),
            turns: kind.turns(&properties),
            drains: kind.drains(),
            corrects: false,
            patience: Some(kind.patience()),
            properties,
        })
    }
}

/// The engine and its stage.
struct Run {
    stage: Stage,
    state: State,
    /// What each row was last given.
    given: BTreeMap<Id, Value>,
}

struct Memory<'r>(&'r State, &'r BTreeMap<Id, Value>, BTreeMap<(Name, Name), Id>);

impl Rows for Memory<'_> {
    fn expected(&self, row: Id) -> Option<Expected<'_>> {
        let known = self.0.row(row).filter(|row| row.is_idle())?;
        let noted = &known.thing.as_ref()?.attributes;
        Some(Expected { name: &known.name, properties: self.1.get(&row)?, noted })
    }

    fn row_of(&self, kind: &str, phys: &str) -> Option<Id> {
        self.2.get(&(kind.into(), phys.into())).copied()
    }
}

impl Run {
    fn new(stage: Stage) -> Self {
        let begun = State::load(Stored::default(), 1, Limits::default(), at(&stage)).expect("nothing is stored");
        Self { stage, state: begun.0, given: BTreeMap::new() }
    }

    fn tell(&mut self, event: Event) -> Vec<Notice> {
        let now = at(&self.stage);
        let step = self.state.step(event, now);
        self.carry_out(step)
    }

    /// Carries out jobs, and their consequences.
    fn carry_out(&mut self, step: Step) -> Vec<Notice> {
        let (mut notices, mut jobs) = (step.notices, step.jobs);
        while !jobs.is_empty() {
            let job = jobs.remove(0);
            let outcome = self.stage.hands.carry_out(&job).now_or_never().expect("nothing to wait for");
            if let What::Create { properties } | What::Update { properties } = &job.what
                && !matches!(outcome, Outcome::Refused(_) | Outcome::Absent)
            {
                self.given.insert(job.row, properties.clone());
            }
            let now = at(&self.stage);
            let step = self.state.step(Event::Done { job: job.id, row: job.row, outcome }, now);
            notices.extend(step.notices);
            jobs.extend(step.jobs);
        }
        notices
    }

    /// Observes as an observer does: by lists, and once for each row that is in none.
    fn look(&mut self) -> Vec<Notice> {
        let began = at(&self.stage);
        let kinds: Vec<&str> = wattle_openstack::driver::kinds().map(|kind| kind.name).collect();
        let known = self.state.rows().filter_map(|row| {
            let phys = row.thing.as_ref().map(|thing: &Thing| thing.phys.clone())?;
            Some(((row.kind.clone(), phys), row.id))
        });
        let memory = Memory(&self.state, &self.given, known.collect());
        let kinds = kinds.iter().map(|kind| Name::from(*kind)).collect();
        // An unreadable list says nothing about any thing.
        let Ok(seen) = self.stage.hands.list(&kinds, &memory).now_or_never().expect("nothing to wait for") else {
            return Vec::new();
        };
        let mut events: Vec<(Id, Name, Sight)> =
            seen.iter().map(|seen| (seen.row, seen.kind.clone(), seen.sight.clone())).collect();
        let unseen = self.state.rows().filter(|row| !seen.iter().any(|seen| seen.row == row.id));
        events.extend(unseen.map(|row| (row.id, row.kind.clone(), Sight::Absent)));
        self.stage.pass(Duration::from_millis(1));
        let mut notices = Vec::new();
        for (mark, kind, sight) in events {
            notices.extend(self.tell(Event::Seen { mark, kind, at: began, sight }));
        }
        notices
    }

    /// Continues until nothing is in progress, and returns the failures.
    fn settle(&mut self) -> Vec<String> {
        let mut roots = Vec::new();
        for _ in 0..2_000 {
            self.stage.pass(Duration::from_secs(2));
            let mut notices = self.tell(Event::Tick);
            notices.extend(self.look());
            for notice in notices {
                if let Notice::Settled { roots: found, .. } = notice {
                    roots = found.iter().map(|wait| format!("{wait:?}")).collect();
                }
            }
            if self.state.is_quiet() && (self.state.is_done() || !roots.is_empty()) {
                return roots;
            }
        }
        panic!("it does not end: {:?}", self.state.rows().collect::<Vec<_>>())
    }

    /// Deploys it, and waits.
    fn deploy(&mut self, template: Template) -> Vec<String> {
        self.tell(Event::Desire(Desire::new(Arc::new(template))));
        self.settle()
    }

    fn phys(&self, name: &str) -> Name {
        let row = self.state.standing(name).unwrap_or_else(|| panic!("nothing stands for {name}"));
        row.thing.as_ref().expect("a thing").phys.clone()
    }
}

fn at(stage: &Stage) -> Time {
    let since = stage.near.now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    Time::from_millis(u64::try_from(since.as_millis()).expect("this century"))
}

/// A site with one of everything. The server's image and key, and the address of the port, differ between versions.
fn site(flavor: &str, key: &str, extra: bool) -> Template {
    let key_text = format!("ssh-ed25519 {key} ann@example");
    let mut template = Template::of([
        ("net", "OS::Neutron::Net", json!({ "name": "site", "tags": ["site"] })),
        ("subnet", "OS::Neutron::Subnet", json!({ "network": "@net", "cidr": "10.5.0.0/24" })),
        ("router", "OS::Neutron::Router", json!({ "external_gateway_info": { "network": "public" } })),
        ("way", "OS::Neutron::RouterInterface", json!({ "router": "@router", "subnet": "@subnet" })),
        (
            "group",
            "OS::Neutron::SecurityGroup",
            json!({ "name": "site", "rules": [{ "protocol": "tcp", "port_range_min": 22, "port_range_max": 22 }] }),
        ),
        (
            "port",
            "OS::Neutron::Port",
            json!({ "network": "@net", "fixed_ips": [{ "subnet": "@subnet", "ip_address": "10.5.0.50" }], "security_groups": ["@group"] }),
        ),
        ("key", "OS::Nova::KeyPair", json!({ "name": "site", "public_key": key_text })),
        ("together", "OS::Nova::ServerGroup", json!({ "policies": ["anti-affinity"] })),
        (
            "server",
            "OS::Nova::Server",
            json!({ "name": "web", "flavor": flavor, "image": "debian-12", "key_name": "@key", "networks": [{ "port": "@port" }], "scheduler_hints": { "group": "@together" } }),
        ),
        ("address", "OS::Neutron::FloatingIP", json!({ "floating_network": "public" })),
        ("given", "OS::Neutron::FloatingIPAssociation", json!({ "floatingip_id": "@address", "port_id": "@port" })),
        ("volume", "OS::Cinder::Volume", json!({ "size": 2 })),
        ("disk", "OS::Cinder::VolumeAttachment", json!({ "instance_uuid": "@server", "volume_id": "@volume" })),
    ]);
    if extra {
        template.0.insert("more", ("OS::Cinder::Volume", json!({ "size": 1, "metadata": { "of": "@volume" } })));
    }
    template
}

fn run() -> Run {
    Run::new(Stage::of(Setting { attaches: Duration::from_secs(3), ..Setting::default() }))
}

/// Asserts that the cloud has exactly the resources of the desired state, in their wanted state.
fn is_as_wanted(run: &mut Run, resources: usize) {
    let seen = run.stage.everything();
    assert_eq!(seen.len(), resources, "{seen:#?}");
    run.look();
    let drifted: Vec<_> = run.state.rows().filter(|row| row.drift.is_some()).collect();
    assert!(drifted.is_empty(), "{drifted:#?}");
    assert!(run.state.is_done());
}

#[test]
fn a_site_comes_changes_and_goes() {
    let mut run = run();
    assert_eq!(run.deploy(site("m1.small", "AAAA", false)), Vec::<String>::new());
    is_as_wanted(&mut run, 13);
    let before: Vec<Name> = ["net", "server", "volume", "disk", "given"].iter().map(|name| run.phys(name)).collect();
    // In place: another flavor. The key pair is replaced under its name, and with it the server, which needs the port
    // and the volume.
    assert_eq!(run.deploy(site("m1.medium", "AAAA", true)), Vec::<String>::new());
    is_as_wanted(&mut run, 14);
    let after: Vec<Name> = ["net", "server", "volume", "disk", "given"].iter().map(|name| run.phys(name)).collect();
    assert_eq!(before, after);
    assert_eq!(run.deploy(site("m1.medium", "BBBB", false)), Vec::<String>::new());
    is_as_wanted(&mut run, 13);
    assert_ne!(run.phys("key"), before[0]);
    // Back again, and then remove everything.
    assert_eq!(run.deploy(site("m1.small", "AAAA", false)), Vec::<String>::new());
    is_as_wanted(&mut run, 13);
    run.tell(Event::Desire(Desire::nothing()));
    run.settle();
    assert_eq!(run.stage.everything(), []);
    assert_eq!(run.stage.near.world().servers(), []);
}

#[test]
fn whatever_is_lost_on_the_way_the_site_comes() {
    let faults = [
        Doing::Lost,
        Doing::Unanswered,
        Doing::Late(Duration::from_secs(20)),
        Doing::Refused(409, None),
        Doing::Refused(500, None),
        Doing::Refused(503, Some(5)),
    ];
    for doing in faults {
        for after in [0, 3, 7, 12] {
            let mut run = run();
            for method in [Method::Post, Method::Put] {
                let rule = Rule { method: Some(method), path: "/".into(), after, times: 2, doing: doing.clone() };
                // A rejected login creates nothing.
                run.stage.get("network", "/networks");
                run.stage.near.world().befall(rule);
            }
            assert_eq!(run.deploy(site("m1.small", "AAAA", false)), Vec::<String>::new(), "{doing:?} {after}");
            run.stage.pass(Duration::from_mins(5));
            for _ in 0..10 {
                run.look();
                run.stage.pass(Duration::from_secs(5));
            }
            is_as_wanted(&mut run, 13);
        }
    }
}

#[test]
fn what_broke_is_replaced_for_the_next_desired_state() {
    let mut run = run();
    run.stage.befall(Method::Post, "/servers", 1, Doing::Broken);
    let roots = run.deploy(site("m1.small", "AAAA", false));
    assert!(roots.iter().any(|root| root.contains("No valid host was found")), "{roots:?}");
    assert_eq!(run.deploy(site("m1.small", "AAAA", false)), Vec::<String>::new());
    is_as_wanted(&mut run, 13);
}

#[test]
fn what_vanishes_is_made_again_for_the_next_desired_state() {
    let mut run = run();
    run.deploy(site("m1.small", "AAAA", false));
    let volume = run.phys("volume");
    let server = run.phys("server");
    run.stage.near.world().vanish("servers", &server);
    run.stage.near.world().vanish("volumes", &volume);
    run.look();
    assert_eq!(run.deploy(site("m1.small", "AAAA", false)), Vec::<String>::new());
    is_as_wanted(&mut run, 13);
    assert_ne!((run.phys("server"), run.phys("volume")), (server, volume));
}

/// Pseudorandom numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((number ^ (number >> 31)) % u64::from(most)).expect("below")
    }

    fn doing(&mut self) -> Doing {
        match self.below(9) {
            0 => Doing::Lost,
            1 | 2 => Doing::Unanswered,
            3 => Doing::Late(Duration::from_secs(u64::from(self.below(80)))),
            4 => Doing::Refused(409, None),
            5 => Doing::Refused(500, None),
            6 => Doing::Refused(503, Some(5)),
            7 => Doing::Refused(429, Some(40)),
            _ => Doing::Broken,
        }
    }
}

#[test]
fn whatever_happens_in_the_end_there_is_what_is_wanted() {
    let most = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12);
    for seed in 0..most {
        let mut dice = Dice(seed);
        let mut run = run();
        for number in 0..4 {
            for _ in 0..dice.below(6) {
                let method = [Method::Post, Method::Put, Method::Delete, Method::Get][dice.below(4) as usize];
                let (after, times) = (dice.below(25), 1 + dice.below(3));
                let path = ["/networking/", "/compute/", "/volume/"][dice.below(3) as usize];
                let rule = Rule { method: Some(method), path: path.into(), after, times, doing: dice.doing() };
                run.stage.near.world().befall(rule);
            }
            let flavor = ["m1.small", "m1.medium"][dice.below(2) as usize];
            let (key, extra) = (["AAAA", "BBBB"][dice.below(2) as usize], dice.below(2) == 0);
            // Deploying the same desired state again retries what failed.
            let mut roots = Vec::new();
            for _ in 0..6 {
                roots = run.deploy(site(flavor, key, extra));
                if roots.is_empty() {
                    break;
                }
            }
            assert_eq!(roots, Vec::<String>::new(), "seed {seed}, desired state {number}");
            run.stage.pass(Duration::from_mins(3));
            for _ in 0..20 {
                run.look();
                run.stage.pass(Duration::from_secs(10));
                run.tell(Event::Tick);
            }
            run.settle();
            let wanted = if extra { 14 } else { 13 };
            let seen = run.stage.everything();
            assert_eq!(
                seen.len(),
                wanted,
                "seed {seed}, desired state {number}: {seen:#?} {:#?}",
                run.state.rows().collect::<Vec<_>>()
            );
        }
        run.tell(Event::Desire(Desire::nothing()));
        run.settle();
        assert_eq!(run.stage.everything(), [], "seed {seed}");
    }
}
