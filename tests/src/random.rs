//! Random sound models, built by the same calls that authors use.
//!
//! Every decision consumes one byte of `choices` (0 when they are exhausted), so fewer and smaller bytes yield smaller and
//! simpler models, which proptest needs for shrinking.

use wattle::prelude::*;
use wattle_catalog::{cinder, neutron, nova};

use crate::chance::Chance;

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

/// Values that can be wired.
#[derive(Clone, Copy)]
enum Wirable {
    Component(Anything),
    Port(neutron::Port),
    Server(nova::Server, neutron::Net),
    Text(Parameter<String>),
    Password(Parameter<Secret<String>>),
    ForwardReference(ForwardReference<String>),
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

/// Builds the model that `choices` determine.
pub fn model(choices: &[u8]) -> wattle::model::Model {
    let mut t = Topology::new("random");
    let settings = <Settings as wattle::author::Parameters>::declare(&mut t);
    let mut random = Random { choices, next: 0, sources: Vec::new(), forward_references: Vec::new() };
    random.sources.extend([Wirable::Text(settings.image), Wirable::Password(settings.password)]);
    let nets = random.networks(&mut t);
    let depth = random.below(3);
    random.servers(&mut t, &settings, &nets, depth);
    let mut exports = Exports::new();
    for (i, forward) in random.forward_references.clone().into_iter().enumerate() {
        t.fulfil(forward, text!("promise {}", i));
    }
    if let Some(component) = random.last() {
        exports =
            exports.entry("text", component.text).entry("joined", text!("{}:{}", component.text, component.count));
    }
    t.finish(exports.entry("image", settings.image))
}

/// The same with all features of HOT that typed blueprints seldom use: functions, conditions, outputs, groups, and settings
/// of resources and parameters; and with names and values that Heat would mistake for functions.
///
/// # Panics
/// Never: every model contains what is looked up.
pub fn whole(choices: &[u8]) -> wattle::model::Model {
    use wattle::model::{Condition, Constraint, Expr, ParameterGroup, Source, StackOutput, Value};
    let mut model = model(choices);
    let mut random = Random { choices, next: choices.len() / 2, sources: Vec::new(), forward_references: Vec::new() };
    let mut line = 1000;
    let mut at = || {
        line += 1;
        Source::new("src/whole.rs", line, 7)
    };
    let image = || Expr::parameter("image");
    let is_debian = Expr::function("equals", Expr::list([image(), "debian-12".into()]));
    for name in ["is-debian", "run_time"] {
        if random.below(2) == 1 {
            model.conditions.insert(name.into(), Condition::new(is_debian.clone(), at()));
        }
    }
    let condition = model.conditions.keys().next().map(|name| Expr::Constant(Value::Str(name.clone())));
    if random.below(2) == 1 {
        let mut group = ParameterGroup::new(vec!["password".into(), "image".into()], at());
        group.label = "What is chosen".into();
        model.parameter_groups.push(group);
    }
    let parameter = &mut model.parameters["image"];
    for _ in 0..random.below(3) {
        parameter.label = "Image: 0644".into();
        parameter.immutable = true;
        parameter.tags = vec!["on".into(), "a, b".into()];
        let length = Constraint::Length { min: Some(1), max: None };
        let described = Constraint::Described { constraint: Box::new(length), description: "it is empty".into() };
        parameter.constraints.push(described);
    }
    let nets: Vec<_> = model.resources.iter().filter(|(_, one)| &*one.ty == "OS::Neutron::Net").collect();
    let net = nets[random.below(nets.len())].0.clone();
    let map = |items: [(&str, Expr); 2]| {
        let items = items.map(|(name, value)| (name.into(), value));
        Some(Box::new(Expr::map(items)))
    };
    for (name, resource) in &mut model.resources {
        match random.below(8) {
            1 => resource.description = "22:22\n# no comment".into(),
            2 => resource.metadata = map([("owner", image()), ("yes", false.into())]),
            3 => resource.metadata = map([("filter", "x".into()), ("owner", 1.5.into())]),
            4 => resource.deletion_policy = Some(Box::new("Retain".into())),
            5 if *name != net && resource.is_server() => resource.depends_on.push(net.clone()),
            _ => {}
        }
    }
    let joined = Expr::function("list_join", Expr::list([",".into(), Expr::list([image(), Expr::resource(net)])]));
    let mut output = StackOutput::new(joined.clone(), at());
    output.description = "Joined.".into();
    if let Some(condition) = &condition {
        output.condition = Some(condition.clone());
        let chosen = Expr::function("if", Expr::list([condition.clone(), joined.clone(), "none".into()]));
        model.outputs.insert("chosen".into(), StackOutput::new(chosen, at()));
    }
    model.outputs.insert("all".into(), output);
    let json = r#"{"get_param": {"if": [1]}, "wattle_map": {"wattle_map": 0}, "one": {"digest": null}}"#;
    let odd: Value = serde_json::from_str(json).expect("JSON");
    let outputs: Vec<_> = model.components.keys().cloned().collect();
    for (index, component) in model.components.values_mut().enumerate() {
        let texts = match random.below(6) {
            1 => joined.clone(),
            2 => Expr::Constant(odd.clone()),
            3 => {
                // Earlier components do not depend on later ones.
                let component = outputs[random.below(index.max(1))].clone();
                if index == 0 {
                    continue;
                }
                let output = Expr::output(component, "text");
                Expr::function("str_split", Expr::list([",".into(), output]))
            }
            4 => Expr::map([("filter".into(), image())]),
            _ => continue,
        };
        let at = at();
        component.inputs.insert("texts".into(), wattle::model::Binding { value: texts, at });
    }
    for declaration in model.declarations.values_mut() {
        declaration.inputs["texts"].ty = wattle::model::Type::Any;
    }
    requirements(&mut random, &mut model, &mut at);
    model
}

/// Adds requirements that hold: on parameters, and on inputs of components.
fn requirements(
    random: &mut Random<'_>,
    model: &mut wattle::model::Model,
    at: &mut impl FnMut() -> wattle::model::Source,
) {
    use wattle::model::{Expr, Predicate, Requirement, Test, Tested};
    let tested = |value: Expr, test| Predicate::Tested(Tested { value: Some(value), test, secret: false });
    let image = || Expr::parameter("image");
    let any = |value: &Expr| tested(value.clone(), Test::SomeItem(Box::new(of_text(None, Test::Includes("".into())))));
    for index in 0..random.below(4) {
        let predicate = Predicate::Any(vec![
            tested(image(), Test::Length { min: Some(1), max: None }),
            random.predicate(Some(image()), 2),
        ]);
        let mut requirement = Requirement::new(predicate, at());
        if random.below(2) == 1 {
            requirement.because = "so it is: \n yes".into();
        }
        model.requirements.insert(format!("of images: {index}").into(), requirement);
    }
    if random.below(2) == 1 {
        let all = vec![
            tested(image(), Test::Length { min: None, max: Some(255) }),
            of_text(Some(Expr::parameter("password")), Test::Matches("[^ ]{3,}".into())),
        ];
        model.requirements.insert("get_param".into(), Requirement::new(Predicate::All(all), at()));
    }
    for (key, component) in &model.components {
        let read = component.inputs.get("texts").map(|binding| &binding.value);
        let Some(value) = read.filter(|value| value.constant().is_none()) else { continue };
        if random.below(4) == 3 {
            let predicate = Predicate::Any(vec![any(value), random.predicate(Some(value.clone()), 1)]);
            let name = match key.rsplit_once('.') {
                Some((module, own)) => format!("{module}.of {own}"),
                None => format!("of {key}"),
            };
            model.requirements.insert(name.into(), Requirement::new(predicate, at()));
        }
    }
}

fn of_text(
    value: Option<wattle::model::Expr>,
    test: wattle::model::Test<wattle::model::Expr>,
) -> wattle::model::Predicate<wattle::model::Expr> {
    wattle::model::Predicate::Tested(wattle::model::Tested { value, test, secret: false })
}

/// `length` bytes that depend only on `seed`.
pub fn bytes(seed: u32, length: usize) -> Vec<u8> {
    let mut chance = Chance::new(seed.into());
    (0..length).map(|_| chance.number().to_le_bytes()[0]).collect()
}

struct Random<'c> {
    choices: &'c [u8],
    next: usize,
    sources: Vec<Wirable>,
    forward_references: Vec<ForwardReference<String>>,
}

impl Random<'_> {
    fn below(&mut self, n: usize) -> usize {
        let choice = self.choices.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        usize::from(choice) % n
    }

    /// A predicate about text, which holds or not, constructed for that text.
    fn predicate(
        &mut self,
        value: Option<wattle::model::Expr>,
        depth: usize,
    ) -> wattle::model::Predicate<wattle::model::Expr> {
        use wattle::model::{Expr, Predicate, Test};
        let parts = |random: &mut Self| {
            (0..=random.below(2) + 1).map(|_| random.predicate(value.clone(), depth - 1)).collect::<Vec<_>>()
        };
        match self.below(if depth > 0 { 14 } else { 11 }) {
            11 => Predicate::All(parts(self)),
            12 => Predicate::Any(parts(self)),
            13 => Predicate::Opposite(Box::new(self.predicate(value, depth - 1))),
            other => of_text(
                value,
                match other {
                    0 => Test::Is("debian-12".into()),
                    1 => Test::IsNot(Expr::parameter("password")),
                    2 => Test::OneOf(vec!["if".into(), Expr::parameter("image")]),
                    3 => Test::Matches(r"[a-z]+-\d{2}|0644".into()),
                    4 => Test::StartsWith("22:22".into()),
                    5 => Test::EndsWith(Expr::parameter("image")),
                    6 => Test::Includes("yes".into()),
                    7 => Test::Length { min: Some(3), max: Some(99) },
                    8 => Test::Length { min: None, max: None },
                    9 => Test::Is(Expr::map([("get_param".into(), "image".into())])),
                    _ => Test::IsNot(wattle::model::Value::Null.into()),
                },
            ),
        }
    }

    fn source(&mut self) -> Wirable {
        let i = self.below(self.sources.len());
        self.sources[i]
    }

    fn last(&self) -> Option<Anything> {
        self.sources.iter().rev().find_map(|source| match source {
            Wirable::Component(component) => Some(*component),
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
                self.sources.push(Wirable::Port(port));
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
                let forward = t.later(format!("promise{i}"));
                self.forward_references.push(forward);
                self.sources.push(Wirable::ForwardReference(forward));
            }
            if self.below(6) == 5 {
                self.sources.push(Wirable::Import(t.import(Export::new("elsewhere", "url"))));
            }
            self.sources.push(Wirable::Server(server, net));
            self.components(t, server);
        }
    }

    fn components(&mut self, t: &mut Topology, server: nova::Server) {
        for i in 0..self.below(4) {
            let mut texts = Vec::new();
            let mut component = Anything::new();
            // Each input is wired once.
            let (mut number, mut address, mut password) = (false, false, false);
            for _ in 0..self.below(4) {
                match self.source() {
                    Wirable::Component(other) if self.below(2) == 1 => {
                        if !std::mem::replace(&mut number, true) {
                            component = component.number(other.count);
                        }
                        if !std::mem::replace(&mut password, true) {
                            component = component.password(other.token);
                        }
                    }
                    Wirable::Component(other) => texts.push(text!("{}", other.text)),
                    Wirable::Port(port) if !std::mem::replace(&mut address, true) => {
                        component = component.address(port.address());
                    }
                    Wirable::Server(other, net) if !std::mem::replace(&mut address, true) => {
                        component = component.address(other.address(net));
                    }
                    Wirable::Password(parameter) if !std::mem::replace(&mut password, true) => {
                        component = component.password(parameter);
                    }
                    Wirable::Port(_) | Wirable::Server(..) | Wirable::Password(_) => {}
                    Wirable::Text(parameter) => texts.push(text!("image {}", parameter).value(Later)),
                    Wirable::ForwardReference(forward) => texts.push(text!("{}", forward)),
                    Wirable::Import(output) => texts.push(text!("{} from elsewhere", output)),
                }
            }
            let component = t.on(server).run(format!("part{i}"), component.texts(texts));
            if let (1, Some(before)) = (self.below(5), self.last()) {
                t.after(component, before);
            }
            self.sources.push(Wirable::Component(component));
        }
    }
}

/// A placeholder for text known at run time, which gives all texts the same type.
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
