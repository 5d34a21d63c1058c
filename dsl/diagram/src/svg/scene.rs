//! The boxes of a picture, with what is in them and how large they are, and what leads from one to another.

use std::collections::{HashMap, HashSet};

use super::measure::{bold, width};
use crate::tree::{Item, Tree};
use crate::{Component, Diagram, Edge, Resource, Role, Why};

/// Sizes of fonts.
pub(super) const NAME: f64 = 12.5;
pub(super) const SMALL: f64 = 10.5;
/// Height of a component's first line, and of a line of inputs and outputs.
pub(super) const TITLE: f64 = 24.0;
pub(super) const LINE: f64 = 17.0;
/// Room at the sides of components within a server.
const SIDE: f64 = 18.0;
/// Height of what a server says of itself.
const HEAD: f64 = 40.0;
/// Room between components.
const BETWEEN: f64 = 18.0;

/// Everything that is drawn.
pub(super) struct Scene<'p> {
    /// Frames before what is in them; the first is all.
    pub(super) boxes: Vec<Box<'p>>,
    pub(super) wires: Vec<Wire<'p>>,
    pub(super) bands: Vec<Band<'p>>,
}

/// A box: a module, a server, or another resource.
pub(super) struct Box<'p> {
    pub(super) name: &'p str,
    /// The frame around it; the outermost one has none.
    pub(super) frame: Option<usize>,
    pub(super) within: Vec<usize>,
    pub(super) w: f64,
    pub(super) h: f64,
    /// Where it is; within its frame until everything is placed.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) body: Body<'p>,
    /// The bands that it is attached to.
    pub(super) on: Vec<usize>,
}

/// What is in a box.
pub(super) enum Body<'p> {
    Frame { title: String, kind: &'p str },
    Server { title: &'p str, about: String, parts: Vec<Part<'p>> },
    Other { title: &'p str, kind: &'p str },
}

/// A component: a box within a server's.
pub(super) struct Part<'p> {
    pub(super) component: &'p Component,
    pub(super) kind: &'p str,
    /// Where it is within the server.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
    /// Inputs that other components feed, with their types, and outputs that others read.
    pub(super) inputs: Vec<(&'p str, &'p str)>,
    pub(super) outputs: Vec<&'p str>,
}

/// A network.
pub(super) struct Band<'p> {
    pub(super) name: &'p str,
    pub(super) about: String,
}

/// What leads from one box to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire<'p> {
    pub(super) edge: &'p Edge,
    pub(super) from: End,
    pub(super) to: End,
}

/// Where a wire ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) of: usize,
    /// The component within.
    pub(super) part: Option<usize>,
    /// From the box's top; of a frame nothing is known before it is placed.
    pub(super) y: f64,
    /// How far within the box it ends.
    pub(super) inset: f64,
}

impl<'p> Scene<'p> {
    pub(super) fn of(picture: &'p Diagram) -> Self {
        let tree = Tree::of(picture);
        let mut scene = Self { boxes: Vec::new(), wires: Vec::new(), bands: Vec::new() };
        let used = Used::of(picture);
        let mut bands: HashMap<&str, usize> = HashMap::new();
        let folded = folded(picture);
        for network in picture.resources.iter().filter(|resource| resource.role == Role::Network) {
            bands.insert(&network.name, scene.bands.len());
            scene.bands.push(Band { name: &network.name, about: about_network(picture, network, &folded) });
        }
        for (subnet, network) in &folded.subnets {
            if let Some(band) = bands.get(network).copied() {
                bands.insert(subnet, band);
            }
        }
        scene.add(&tree, &used, &folded, "", None);
        let mut index: HashMap<&str, usize> =
            scene.boxes.iter().enumerate().skip(1).map(|(index, of)| (of.name, index)).collect();
        for (port, server) in &folded.ports {
            if let Some(server) = index.get(server).copied() {
                index.insert(port, server);
            }
        }
        for resource in &picture.resources {
            if let Some(of) = index.get(&*resource.name).copied() {
                let on: Vec<_> =
                    resource.networks.iter().filter_map(|network| bands.get(&**network).copied()).collect();
                scene.attach(of, on);
            }
        }
        scene.wire(picture, &index, &bands);
        scene
    }

    /// The box of a module with all that is in it.
    fn add(
        &mut self,
        tree: &Tree<'p>,
        used: &Used<'p>,
        folded: &Folded<'p>,
        module: &'p str,
        frame: Option<usize>,
    ) -> usize {
        let own = self.boxes.len();
        let body = Body::Frame { title: String::new(), kind: "" };
        self.boxes.push(Box {
            name: module,
            frame,
            within: Vec::new(),
            w: 0.0,
            h: 0.0,
            x: 0.0,
            y: 0.0,
            body,
            on: vec![],
        });
        for item in tree.within(module) {
            let index = match item {
                Item::Module(module) => {
                    let index = self.add(tree, used, folded, &module.name, Some(own));
                    self.boxes[index].body = Body::Frame { title: local(&module.name).to_owned(), kind: &module.kind };
                    index
                }
                Item::Resource(resource) if resource.role == Role::Network || folded.has(&resource.name) => continue,
                Item::Resource(resource) => {
                    let (body, w, h) = content(resource, tree, used, folded);
                    let name = &*resource.name;
                    self.boxes.push(Box {
                        name,
                        frame: Some(own),
                        within: vec![],
                        w,
                        h,
                        x: 0.0,
                        y: 0.0,
                        body,
                        on: vec![],
                    });
                    self.boxes.len() - 1
                }
            };
            self.boxes[own].within.push(index);
        }
        own
    }

    fn attach(&mut self, of: usize, bands: impl IntoIterator<Item = usize>) {
        for band in bands {
            if !self.boxes[of].on.contains(&band) {
                self.boxes[of].on.push(band);
            }
        }
    }

    fn wire(&mut self, picture: &'p Diagram, index: &HashMap<&'p str, usize>, bands: &HashMap<&'p str, usize>) {
        let components: HashMap<&str, (usize, usize)> = self
            .boxes
            .iter()
            .enumerate()
            .filter_map(|(of, known)| match &known.body {
                Body::Server { parts, .. } => Some((of, parts)),
                _ => None,
            })
            .flat_map(|(of, parts)| {
                parts.iter().enumerate().map(move |(part, known)| (&*known.component.key, (of, part)))
            })
            .collect();
        let mut known = HashSet::new();
        for edge in &picture.edges {
            if let (Why::Infrastructure, Some(band)) = (edge.why, bands.get(&*edge.from)) {
                // What needs a network or its subnet is attached to the band, unless it is part of the band itself.
                if let Some(of) = index.get(&*edge.to) {
                    self.attach(*of, [*band]);
                }
                continue;
            }
            let end = |name: &str, port: Option<&str>, is_input| match components.get(name) {
                Some((of, part)) => Some(self.end(*of, *part, port, is_input)),
                None => index.get(name).map(|of| End { of: *of, part: None, y: self.boxes[*of].h / 2.0, inset: 0.0 }),
            };
            let is_data = edge.why == Why::Data;
            let from = end(&edge.from, edge.output.as_deref().filter(|_| is_data), false);
            let to = end(&edge.to, edge.input.as_deref().filter(|_| is_data), true);
            let (Some(from), Some(to)) = (from, to) else { continue };
            let is_new = known.insert((from.of, from.part, from.y.to_bits(), to.of, to.part, to.y.to_bits()));
            if is_new && (from.of != to.of || from.part != to.part) {
                self.wires.push(Wire { edge, from, to });
            }
        }
    }

    fn end(&self, of: usize, part: usize, value: Option<&str>, is_input: bool) -> End {
        let Body::Server { parts, .. } = &self.boxes[of].body else {
            return End { of, part: None, y: 0.0, inset: 0.0 };
        };
        let own = &parts[part];
        let line = value.and_then(|value| {
            let input = || own.inputs.iter().position(|(input, _)| *input == value);
            let output = || own.outputs.iter().position(|output| *output == value);
            if is_input { input() } else { output() }
        });
        let y = match line {
            Some(line) => TITLE + LINE * lines(line) + LINE / 2.0 - 1.0,
            None => TITLE / 2.0,
        };
        let inset = if is_input { own.x } else { self.boxes[of].w - own.x - own.w };
        End { of, part: Some(part), y: own.y + y, inset }
    }
}

#[expect(clippy::cast_precision_loss, reason = "lines are few")]
fn lines(count: usize) -> f64 {
    count as f64
}

/// The part of a qualified name behind that of the module.
pub(super) fn local(name: &str) -> &str {
    name.rsplit(['.', '/']).next().unwrap_or(name)
}

/// Inputs and outputs that data edges are tied to.
struct Used<'p> {
    picture: &'p Diagram,
    inputs: HashMap<&'p str, Vec<(&'p str, &'p str)>>,
    outputs: HashMap<&'p str, Vec<&'p str>>,
}

impl<'p> Used<'p> {
    fn of(picture: &'p Diagram) -> Self {
        let mut used = Self { picture, inputs: HashMap::new(), outputs: HashMap::new() };
        for edge in picture.edges.iter().filter(|edge| edge.why == Why::Data) {
            let (Some(input), Some(output)) = (edge.input.as_deref(), edge.output.as_deref()) else { continue };
            let inputs = used.inputs.entry(&edge.to).or_default();
            if !inputs.iter().any(|(known, _)| *known == input) {
                inputs.push((input, edge.ty.as_deref().unwrap_or_default()));
            }
            let outputs = used.outputs.entry(&edge.from).or_default();
            if !outputs.contains(&output) {
                outputs.push(output);
            }
        }
        used
    }
}

/// What is told within something else: subnets in their network's band, ports in the server that alone needs them.
struct Folded<'p> {
    subnets: HashMap<&'p str, &'p str>,
    ports: HashMap<&'p str, &'p str>,
    ports_of: HashMap<&'p str, Vec<&'p str>>,
}

impl Folded<'_> {
    fn has(&self, name: &str) -> bool {
        self.subnets.contains_key(name) || self.ports.contains_key(name)
    }
}

fn folded(picture: &Diagram) -> Folded<'_> {
    let resources: HashMap<&str, &Resource> = picture.resources.iter().map(|one| (&*one.name, one)).collect();
    let mut needs: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut needed: HashMap<&str, Vec<&str>> = HashMap::new();
    for edge in picture.edges.iter().filter(|edge| edge.why == Why::Infrastructure) {
        needs.entry(&edge.to).or_default().push(&edge.from);
        let by = needed.entry(&edge.from).or_default();
        if !by.contains(&&*edge.to) {
            by.push(&edge.to);
        }
    }
    let mut folded = Folded { subnets: HashMap::new(), ports: HashMap::new(), ports_of: HashMap::new() };
    for resource in &picture.resources {
        let name = &*resource.name;
        match &*resource.ty {
            "OS::Neutron::Subnet" => {
                let networks = needs.get(name).into_iter().flatten();
                let network =
                    networks.filter(|other| resources.get(*other).is_some_and(|one| one.role == Role::Network));
                if let Some(network) = network.copied().next() {
                    folded.subnets.insert(name, network);
                }
            }
            "OS::Neutron::Port" => {
                let by = needed.get(name).map_or(&[][..], Vec::as_slice);
                if let [only] = by
                    && resources
                        .get(only)
                        .is_some_and(|one| one.role == Role::ServerBox && one.module == resource.module)
                {
                    folded.ports.insert(name, only);
                    folded.ports_of.entry(only).or_default().push(name);
                }
            }
            _ => {}
        }
    }
    folded
}

/// What a band says of its network.
fn about_network(picture: &Diagram, network: &Resource, folded: &Folded<'_>) -> String {
    let subnets = picture.resources.iter().filter(|one| folded.subnets.get(&*one.name) == Some(&&*network.name));
    let mut about: Vec<String> = subnets
        .map(|subnet| {
            let cidr = subnet.properties.get("cidr").map(|cidr| cidr.trim_matches('"')).unwrap_or_default();
            format!("{} {cidr}", local(&subnet.name)).trim_end().to_owned()
        })
        .collect();
    if network.ty.is_empty() {
        about.push(network.doc.to_string());
    }
    about.join(" · ")
}

fn content<'p>(resource: &'p Resource, tree: &Tree<'p>, used: &Used<'p>, folded: &Folded<'p>) -> (Body<'p>, f64, f64) {
    let title = local(&resource.name);
    if resource.role != Role::ServerBox {
        let kind = resource.ty.strip_prefix("OS::").unwrap_or(&resource.ty);
        let w = width(title, SMALL + 1.0).max(width(kind, SMALL - 1.0)) + 22.0;
        return (Body::Other { title, kind }, w.ceil(), 36.0);
    }
    let plain = |name: &str| Some(resource.properties.get(name)?.trim_matches('"').to_owned());
    let within = folded.ports_of.get(&*resource.name).into_iter().flatten().map(|port| local(port).to_owned());
    let about: Vec<String> = [plain("flavor"), plain("image")]
        .into_iter()
        .flatten()
        .filter(|value| !value.starts_with("parameter "))
        .chain(within)
        .collect();
    let about = about.join(" · ");
    let mut parts: Vec<Part<'p>> = tree.on(&resource.name).iter().map(|component| part(component, used)).collect();
    let inner = parts.iter().map(|part| part.w).fold(0.0, f64::max);
    let inner = inner.max(bold(title, NAME)).max(width(&about, SMALL) + 6.0).max(90.0);
    let head = if about.is_empty() { HEAD - 12.0 } else { HEAD };
    let mut y = head;
    for part in &mut parts {
        (part.x, part.y, part.w) = (SIDE, y, inner);
        y += part.h + BETWEEN;
    }
    let h = if parts.is_empty() { head + 4.0 } else { y - BETWEEN + 14.0 };
    (Body::Server { title, about, parts }, (inner + 2.0 * SIDE).ceil(), h)
}

fn part<'p>(component: &'p Component, used: &Used<'p>) -> Part<'p> {
    let inputs = used.inputs.get(&*component.key).cloned().unwrap_or_default();
    let outputs = used.outputs.get(&*component.key).cloned().unwrap_or_default();
    let kind = used.picture.kinds.get(&component.kind).map_or(&*component.kind, |kind| &*kind.name);
    let kind = if *kind == *component.name { "" } else { kind };
    let left = |line: usize| inputs.get(line).map_or(0.0, |(name, ty)| width(name, SMALL) + width(ty, SMALL) + 20.0);
    let right = |line: usize| outputs.get(line).map_or(0.0, |name| width(name, SMALL) + 14.0);
    let count = inputs.len().max(outputs.len());
    let rows = (0..count).map(|line| left(line) + right(line) + 12.0).fold(0.0, f64::max);
    let title = bold(&component.name, NAME) + width(kind, SMALL) + 30.0;
    let h = TITLE + LINE * lines(count) + if count > 0 { 5.0 } else { 0.0 };
    Part { component, kind, x: 0.0, y: 0.0, w: rows.max(title).ceil(), h, inputs, outputs }
}
