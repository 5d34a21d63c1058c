//! Random sound models, made by the same calls that authors make.
//!
//! Every decision takes one byte of `choices` (0 when they run out), so fewer and smaller bytes make smaller and simpler
//! models: what proptest needs to shrink.

use wattle::prelude::*;
use wattle_catalog::{cinder, neutron, nova};

/// A component that reads and writes some of everything.
#[component(recipe = "recipes/anything.sh")]
pub struct Anything {
    /// Texts from anywhere.
    #[input(default = [])]
    texts: Vec<String>,
    /// An address.
    #[input]
    address: Option<IpAddr>,
    /// A number.
    #[input(default = 7)]
    number: u16,
    /// Something confidential.
    #[input]
    password: Option<Secret<String>>,

    /// Some text.
    #[output]
    text: String,
    /// Some number.
    #[output]
    count: u16,
    /// Something confidential.
    #[output]
    token: Secret<String>,
}

/// What can be wired.
#[derive(Clone, Copy)]
enum Source {
    Component(Anything),
    Port(neutron::Port),
    Server(nova::Server, neutron::Net),
    Text(Parameter<String>),
    Password(Parameter<Secret<String>>),
    Promise(Promise<String>),
    Import(Output<String>),
}

/// Parameters of random models.
#[derive(Parameters)]
pub struct Settings {
    /// Image of every server.
    #[parameter(default = "debian-12", constraint = "glance.image")]
    image: Parameter<String>,
    /// Something confidential.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// The model that `choices` choose.
pub fn model(choices: &[u8]) -> wattle::model::Model {
    let mut t = Topology::new("random");
    let settings = <Settings as wattle::author::Parameters>::declare(&mut t);
    let mut random = Random { choices, next: 0, sources: Vec::new(), promises: Vec::new() };
    random.sources.extend([Source::Text(settings.image), Source::Password(settings.password)]);
    let nets = random.networks(&mut t);
    let depth = random.below(3);
    random.servers(&mut t, &settings, &nets, depth);
    let mut exports = Exports::new();
    for (i, promise) in random.promises.clone().into_iter().enumerate() {
        t.fulfil(promise, text!("promise {}", i));
    }
    if let Some(component) = random.last() {
        exports =
            exports.entry("text", component.text).entry("joined", text!("{}:{}", component.text, component.count));
    }
    t.finish(exports.entry("image", settings.image))
}

/// `length` bytes that depend on `seed` alone.
pub fn bytes(seed: u32, length: usize) -> Vec<u8> {
    // SplitMix64.
    let mut state = u64::from(seed);
    let next = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).to_le_bytes()[0]
    };
    (0..length).map(next).collect()
}

struct Random<'c> {
    choices: &'c [u8],
    next: usize,
    sources: Vec<Source>,
    promises: Vec<Promise<String>>,
}

impl Random<'_> {
    fn below(&mut self, n: usize) -> usize {
        let choice = self.choices.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        usize::from(choice) % n
    }

    fn source(&mut self) -> Source {
        let i = self.below(self.sources.len());
        self.sources[i]
    }

    fn last(&self) -> Option<Anything> {
        self.sources.iter().rev().find_map(|source| match source {
            Source::Component(component) => Some(*component),
            _ => None,
        })
    }

    fn networks(&mut self, t: &mut Topology) -> Vec<(neutron::Net, neutron::Subnet)> {
        (0..=self.below(3))
            .map(|i| {
                let net = t.add(format!("net{i}"), neutron::Net::new());
                (net, t.add(format!("subnet{i}"), neutron::Subnet::new(net).cidr(format!("10.{i}.0.0/16"))))
            })
            .collect()
    }

    fn servers(&mut self, t: &mut Topology, p: &Settings, nets: &[(neutron::Net, neutron::Subnet)], depth: usize) {
        for i in 0..=self.below(6) {
            if depth > 0 && self.below(4) == 3 {
                let module = Nested { random: self, settings: p, nets, depth: depth - 1 };
                t.add(format!("module{i}"), module);
                continue;
            }
            let (net, subnet) = nets[self.below(nets.len())];
            let server = nova::Server::new().image(p.image).flavor("m1.small");
            let server = if self.below(2) == 1 {
                let port = t.add(format!("port{i}"), neutron::Port::new(net).subnet(subnet));
                self.sources.push(Source::Port(port));
                server.port(port)
            } else {
                server.network(net)
            };
            let order = if self.below(3) == 2 { Order::Dataflow } else { Order::Declared };
            let server = t.add(format!("server{i}"), server.order(order));
            if self.below(3) == 2 {
                let volume = t.add(format!("volume{i}"), cinder::Volume::new(10));
                t.add(format!("attachment{i}"), cinder::VolumeAttachment::new(server, volume));
            }
            if self.below(4) == 3 {
                let promise = t.later(format!("promise{i}"));
                self.promises.push(promise);
                self.sources.push(Source::Promise(promise));
            }
            if self.below(6) == 5 {
                self.sources.push(Source::Import(t.import(Export::new("elsewhere", "url"))));
            }
            self.sources.push(Source::Server(server, net));
            self.components(t, server);
        }
    }

    fn components(&mut self, t: &mut Topology, server: nova::Server) {
        for i in 0..self.below(4) {
            let mut texts = Vec::new();
            let mut component = Anything::new();
            // An input is wired once.
            let (mut number, mut address, mut password) = (false, false, false);
            for _ in 0..self.below(4) {
                match self.source() {
                    Source::Component(other) if self.below(2) == 1 => {
                        if !std::mem::replace(&mut number, true) {
                            component = component.number(other.count);
                        }
                        if !std::mem::replace(&mut password, true) {
                            component = component.password(other.token);
                        }
                    }
                    Source::Component(other) => texts.push(text!("{}", other.text)),
                    Source::Port(port) if !std::mem::replace(&mut address, true) => {
                        component = component.address(port.address());
                    }
                    Source::Server(other, net) if !std::mem::replace(&mut address, true) => {
                        component = component.address(other.address(net));
                    }
                    Source::Password(parameter) if !std::mem::replace(&mut password, true) => {
                        component = component.password(parameter);
                    }
                    Source::Port(_) | Source::Server(..) | Source::Password(_) => {}
                    Source::Text(parameter) => texts.push(text!("image {}", parameter).value(Later)),
                    Source::Promise(promise) => texts.push(text!("{}", promise)),
                    Source::Import(output) => texts.push(text!("{} from elsewhere", output)),
                }
            }
            let component = t.on(server).run(format!("part{i}"), component.texts(texts));
            if let (1, Some(before)) = (self.below(5), self.last()) {
                t.after(component, before);
            }
            self.sources.push(Source::Component(component));
        }
    }
}

/// No text, known at run time: makes texts of one type.
#[derive(Clone, Copy)]
struct Later;

impl wattle::author::TextPart for Later {
    type Stage = wattle::author::AtRunTime;
    type Privacy = wattle::author::Open;

    fn into_part(self) -> wattle::author::Expression {
        "".into()
    }
}

struct Nested<'a, 'c> {
    random: &'a mut Random<'c>,
    settings: &'a Settings,
    nets: &'a [(neutron::Net, neutron::Subnet)],
    depth: usize,
}

impl Module for Nested<'_, '_> {
    type Outputs = ();

    fn build(self, t: &mut Topology) {
        self.random.servers(t, self.settings, self.nets, self.depth);
    }
}
