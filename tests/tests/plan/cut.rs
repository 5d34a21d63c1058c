//! Resources of a large stack stay in their nested stacks, whatever you add, remove, order, make conditional, or read
//! with Heat's functions.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use wattle::check;
use wattle::lower::hot::HotResource;
use wattle::lower::{Lowered, Options, Places, lower};
use wattle::model::{Binding, Condition, Expr, Model, Parameter, Resource, Scalar, Type, Value};
use wattle::plan::{Action, plan};
use wattle::prelude::*;
use wattle_catalog::{cinder, neutron, nova};
use wattle_tests::random::Anything;
use wattle_tests::{oracle, skip};

use super::state_of;

/// A server of a fleet.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    /// Its networks, some of which may have no other server.
    nets: BTreeSet<u8>,
    /// Its security group, which may have no other server.
    group: Option<u8>,
    has_port: bool,
    has_volume: bool,
    runs: bool,
    /// The number of the other server that its software reads a port's address of.
    picks: Option<usize>,
    /// The name of that server.
    reads: Option<String>,
}

fn member() -> impl Strategy<Value = Member> {
    let nets = prop::collection::btree_set(0..40_u8, 1..3);
    let group = prop::option::of(0..30_u8);
    let picks = prop::option::weighted(0.2, any::<usize>());
    (nets, group, any::<(bool, bool, bool)>(), picks).prop_map(|(nets, group, (has_port, has_volume, runs), picks)| {
        Member { name: String::new(), nets, group, has_port, has_volume, runs, picks, reads: None }
    })
}

/// A change: adds something at a place, or removes something.
#[derive(Clone, Debug)]
enum Change {
    Comes(usize, Member),
    Goes(usize),
    /// Adds a resource that depends on this server.
    After(usize),
    /// Adds a resource that reads an address of this server's port, at an index that Heat computes.
    Reads(usize),
    /// Adds a condition to this server, or removes its condition.
    Condition(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<usize>(), member()).prop_map(|(at, member)| Change::Comes(at, member)),
        any::<usize>().prop_map(Change::Goes),
        any::<usize>().prop_map(Change::After),
        any::<usize>().prop_map(Change::Reads),
        any::<usize>().prop_map(Change::Condition),
    ]
}

/// Servers that come and go.
#[derive(Default)]
struct Fleet {
    members: Vec<Member>,
    count: usize,
    /// For each resource that depends on a server, the name of that server.
    after: BTreeMap<String, String>,
    /// For each resource that reads a port, the name of that port.
    readers: BTreeMap<String, String>,
    /// The servers with a condition.
    conditional: BTreeSet<String>,
}

impl Fleet {
    fn add(&mut self, at: usize, mut member: Member) {
        member.name = format!("server{}", self.count);
        self.count += 1;
        let readable: Vec<_> = self.members.iter().filter(|other| other.has_port).collect();
        member.reads = member
            .picks
            .filter(|_| member.runs && !readable.is_empty())
            .map(|number| readable[number % readable.len()].name.clone());
        self.members.insert(at % (self.members.len() + 1), member);
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Comes(at, member) => self.add(at, member),
            _ if self.members.is_empty() => {}
            Change::Goes(at) => {
                let at = at % self.members.len();
                // A reader would get new user data, which has nothing to do with the cut.
                let name = Some(&self.members[at].name);
                if !self.members.iter().any(|other| other.reads.as_ref() == name) {
                    let name = self.members.remove(at).name;
                    self.after.retain(|_, server| *server != name);
                    self.readers.retain(|_, port| !port.starts_with(&format!("{name}-")));
                    self.conditional.remove(&name);
                }
            }
            Change::After(at) => {
                let server = self.members[at % self.members.len()].name.clone();
                self.count += 1;
                self.after.insert(format!("after{}", self.count), server);
            }
            Change::Reads(at) => {
                let Member { name, has_port, .. } = &self.members[at % self.members.len()];
                if *has_port {
                    self.count += 1;
                    self.readers.insert(format!("reader{}", self.count), format!("{name}-port0"));
                }
            }
            Change::Condition(at) => {
                let name = self.members[at % self.members.len()].name.clone();
                if !self.conditional.remove(&name) {
                    self.conditional.insert(name);
                }
            }
        }
    }

    fn model(&self) -> Model {
        let mut model = model(&self.members);
        let at = model.at.clone();
        for (name, value) in [("index", "0"), ("size", "large")] {
            let mut parameter = Parameter::new(Type::Scalar(Scalar::Str), at.clone());
            parameter.default = Some(Value::Str(value.into()));
            model.parameters.insert(name.into(), parameter);
        }
        let parameter = |name: &str| Expr::function("get_param", Expr::from(name));
        let equals = Expr::function("equals", Expr::list([parameter("size"), "large".into()]));
        model.conditions.insert("is-large".into(), Condition::new(equals, at.clone()));
        let other = || Resource::new("OS::Heat::Value".into(), at.clone());
        for (name, server) in &self.after {
            let mut other = other();
            other.properties.insert("value".into(), Binding { value: "late".into(), at: at.clone() });
            other.depends_on.push(server.as_str().into());
            model.resources.insert(name.as_str().into(), other);
        }
        for (name, port) in &self.readers {
            let mut other = other();
            let path = [port.as_str().into(), "fixed_ips".into(), parameter("index"), "ip_address".into()];
            let value = Expr::function("get_attr", Expr::list(path));
            other.properties.insert("value".into(), Binding { value, at: at.clone() });
            model.resources.insert(name.as_str().into(), other);
        }
        for name in &self.conditional {
            let condition = Expr::Constant(Value::Str("is-large".into()));
            model.resources[name.as_str()].condition = Some(Box::new(condition));
        }
        model
    }
}

fn model(fleet: &[Member]) -> Model {
    let mut t = Topology::new("fleet");
    let mut nets = BTreeMap::new();
    let mut groups = BTreeMap::new();
    for member in fleet {
        for &number in &member.nets {
            nets.entry(number).or_insert_with(|| {
                let net = t.add(format!("net{number}"), neutron::Net::new());
                let subnet = t.add(format!("subnet{number}"), neutron::Subnet::new(net).cidr("10.0.0.0/8"));
                (net, subnet)
            });
        }
        if let Some(number) = member.group {
            groups.entry(number).or_insert_with(|| t.add(format!("group{number}"), neutron::SecurityGroup::new()));
        }
    }
    let mut ports = BTreeMap::new();
    let mut servers = Vec::new();
    for member in fleet {
        let mut server = nova::Server::new().image("debian-12").flavor("m1.small");
        for (at, number) in member.nets.iter().enumerate() {
            let (net, subnet) = nets[number];
            if member.has_port {
                let port = neutron::Port::new(net).subnet(subnet);
                let port = match member.group {
                    Some(number) => port.security_group(groups[&number]),
                    None => port,
                };
                let port = t.add(format!("{}-port{at}", member.name), port);
                ports.insert(member.name.as_str(), port);
                server = server.port(port);
            } else {
                server = server.network(net);
            }
        }
        let server = t.add(member.name.as_str(), server);
        if member.has_volume {
            let volume = t.add(format!("{}-volume", member.name), cinder::Volume::new(10));
            t.add(format!("{}-attachment", member.name), cinder::VolumeAttachment::new(server, volume));
        }
        servers.push(server);
    }
    for (member, server) in fleet.iter().zip(servers).filter(|(member, _)| member.runs) {
        let component = Anything::new();
        let component = match &member.reads {
            Some(other) => component.address(ports[other.as_str()].address()),
            None => component,
        };
        t.on(server).run("software", component);
    }
    t.finish(Exports::new())
}

fn options(stack_resources: usize, before: Option<&Lowered>) -> Options {
    let mut options = Options::default();
    options.stack_resources = stack_resources;
    if let Some(before) = before {
        options.deployed = Places::of(&before.template, &before.nested);
    }
    options
}

/// The actions on resources that exist before and after, except those that disturb nothing.
fn disturbed(before: &Lowered, after: &Lowered) -> Vec<String> {
    let own = |name: &str| name.rsplit_once('/').map_or(name, |(_, own)| own).to_owned();
    let names = |lowered: &Lowered| -> BTreeSet<String> {
        let all = lowered.nested.values().chain([&lowered.template]).flat_map(|template| template.resources.keys());
        all.filter(|name| !name.starts_with("wattle_")).map(ToString::to_string).collect()
    };
    let (old, new) = (names(before), names(after));
    let plan = plan(Some(&state_of(before)), &state_of(after));
    let disturbs = |action| !matches!(action, Action::Unchanged | Action::Update | Action::MayUpdate);
    let disturbed = plan.resources.iter().filter(|(name, plan)| {
        let own = own(name);
        disturbs(plan.action) && old.contains(&own) && new.contains(&own)
    });
    disturbed.map(|(name, plan)| format!("{name}: {:?} {:?}", plan.action, plan.because)).collect()
}

/// Emits a fleet repeatedly, each time based on the previous templates.
struct Emitting {
    fleet: Fleet,
    stack_resources: usize,
    last: Lowered,
}

impl Emitting {
    fn first(fleet: Fleet, stack_resources: usize) -> Self {
        let last = lower(&fleet.model(), &options(stack_resources, None));
        Self { fleet, stack_resources, last }
    }

    /// The resources that these changes disturb.
    fn disturbed_by(&mut self, changes: impl IntoIterator<Item = Change>) -> Vec<String> {
        changes.into_iter().for_each(|change| self.fleet.change(change));
        let model = self.fleet.model();
        let after = lower(&model, &options(self.stack_resources, Some(&self.last)));
        let disturbed = disturbed(&self.last, &after);
        // Emitting again yields the same.
        let again = lower(&model, &options(self.stack_resources, Some(&after)));
        assert!(again.template == after.template && again.nested == after.nested);
        self.last = after;
        disturbed
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whoever_comes_or_goes_the_others_stay(
        first in prop::collection::vec(member(), 0..60),
        rounds in prop::collection::vec(prop::collection::vec(change(), 1..8), 1..4),
        stack_resources in prop_oneof![Just(5_usize), 8..40_usize, 60..120_usize],
    ) {
        let mut fleet = Fleet::default();
        first.into_iter().for_each(|member| fleet.add(usize::MAX, member));
        let found = check::check(&fleet.model(), &Default::default());
        prop_assert!(!check::has_errors(&found), "{found:#?}");
        let mut emitting = Emitting::first(fleet, stack_resources);
        for round in rounds {
            let disturbed = emitting.disturbed_by(round);
            prop_assert!(disturbed.is_empty(), "{disturbed:#?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn several_hundred_servers_stay_over_the_limit_and_back(
        first in prop::collection::vec(member(), 10..30),
        come in prop::collection::vec((any::<usize>(), member()), 200..300),
        go in prop::collection::vec(any::<usize>(), 200..300),
    ) {
        let mut fleet = Fleet::default();
        first.into_iter().for_each(|member| fleet.add(usize::MAX, member));
        let mut emitting = Emitting::first(fleet, 250);
        prop_assert!(emitting.last.nested.is_empty());
        let disturbed = emitting.disturbed_by(come.into_iter().map(|(at, member)| Change::Comes(at, member)));
        prop_assert!(disturbed.is_empty(), "{disturbed:#?}");
        prop_assert!(emitting.last.nested.len() > 1);
        for bind in [Change::After, Change::Condition, Change::Reads] {
            let disturbed = emitting.disturbed_by(go.iter().take(20).copied().map(bind));
            prop_assert!(disturbed.is_empty(), "{disturbed:#?}");
        }
        let disturbed = emitting.disturbed_by(go.into_iter().map(Change::Goes));
        prop_assert!(disturbed.is_empty(), "{disturbed:#?}");
    }
}

/// Typical servers with two resources each.
fn ordinary(count: usize) -> Fleet {
    let mut fleet = Fleet::default();
    (0..count).for_each(|_| fleet.add(usize::MAX, ordinary_member()));
    fleet
}

fn ordinary_member() -> Member {
    Member {
        name: String::new(),
        nets: [0].into(),
        group: Some(0),
        has_port: true,
        has_volume: false,
        runs: true,
        picks: None,
        reads: None,
    }
}

#[test]
fn heat_replaces_no_server_when_one_comes_or_goes() {
    let comes = |at| Change::Comes(at, ordinary_member());
    let limit = if skip::everything("a stack of more than 250 resources, updated by Heat") { 250 } else { 12 };
    // A network, a subnet, a group, a root, and servers with a port each: there is room for one more server.
    let count = (limit - 4) / 2 - 1;
    let mut emitting = Emitting::first(ordinary(count), limit);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut templates = Vec::new();
    let mut wanted = Vec::new();
    let bound =
        (0..count.min(12)).flat_map(|at| [Change::After(at), Change::Condition(at), Change::Reads(at)]).collect();
    let steps = [
        vec![],
        vec![comes(60)],
        vec![comes(30), comes(90)],
        vec![Change::Goes(40), comes(10), Change::Goes(5)],
        bound,
        vec![Change::Condition(0)],
    ];
    for (number, changes) in steps.into_iter().enumerate() {
        assert_eq!(emitting.disturbed_by(changes), [""; 0]);
        let folder = folder.path().join(number.to_string());
        std::fs::create_dir(&folder).expect("a new folder");
        templates.push(oracle::write(&emitting.last, &folder, true));
        wanted.push((emitting.fleet.members.len(), emitting.last.nested.len()));
    }
    assert_eq!(wanted, [(count, 0), (count + 1, 0), (count + 3, 1), (count + 2, 1), (count + 2, 1), (count + 2, 1)]);
    let in_part = |has: &dyn Fn(&HotResource) -> bool| {
        emitting.last.nested.values().flat_map(|part| part.resources.values()).any(has)
    };
    assert!(in_part(&|resource| resource.condition.is_some()) && in_part(&|resource| !resource.depends_on.is_empty()));
    let steps = oracle::follow(&["wattle_space=zookeeper://127.0.0.1:2181"], &templates);
    for (step, (servers, _)) in steps.iter().zip(&wanted) {
        let there = step.keys().filter(|path| path.rsplit('/').next().is_some_and(|name| !name.contains('-')));
        assert_eq!(there.filter(|path| path.contains("server")).count(), *servers);
    }
    for pair in steps.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        let own = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let after: BTreeMap<String, (&String, &String)> =
            after.iter().map(|(path, id)| (own(path), (path, id))).collect();
        for (path, id) in before.iter().filter(|(path, _)| !own(path).starts_with("wattle_agent")) {
            if let Some(now) = after.get(&own(path)) {
                assert_eq!(*now, (path, id), "Heat made another one");
            }
        }
    }
}
