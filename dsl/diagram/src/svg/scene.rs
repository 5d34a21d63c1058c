//! The boxes of a diagram with their content and size, and the wires between them.

use std::collections::{HashMap, HashSet};

use super::measure::{bold, width};
use crate::fold::{Band, Folded, local};
use crate::tree::{Item, Tree};
use crate::{Component, Diagram, Edge, Resource, Role, Why};

/// Font sizes.
pub(super) const NAME: f64 = 12.5;
pub(super) const SMALL: f64 = 10.5;
pub(super) const TINY: f64 = 9.5;
/// Height of a component's first line, and of a line of inputs and outputs.
pub(super) const TITLE: f64 = 24.0;
pub(super) const LINE: f64 = 17.0;
/// Padding at the sides of components within a server.
const SIDE: f64 = 18.0;
/// Height of a server's description.
const HEAD: f64 = 40.0;
/// Where the names of a box's networks begin, and the gap between them.
pub(super) const CHIP_SIDE: f64 = 12.0;
pub(super) const CHIP_GAP: f64 = 4.0;
/// The gap between components.
const BETWEEN: f64 = 18.0;

/// Everything that is drawn.
pub(super) struct Scene<'p> {
    /// Each frame comes before its content. The first one contains everything.
    pub(super) boxes: Vec<Box<'p>>,
    pub(super) wires: Vec<Wire<'p>>,
    pub(super) bands: Vec<Band<'p>>,
}

/// A box: a module, a server, or another resource.
pub(super) struct Box<'p> {
    pub(super) name: &'p str,
    /// The frame around it. `None` for the outermost one.
    pub(super) frame: Option<usize>,
    pub(super) within: Vec<usize>,
    pub(super) w: f64,
    pub(super) h: f64,
    /// Its position, which is relative to its frame until everything is placed.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) body: Body<'p>,
    /// The bands that it is attached to.
    pub(super) on: Vec<usize>,
}

/// The content of a box.
pub(super) enum Body<'p> {
    Frame { title: String, kind: &'p str },
    Server { title: &'p str, about: String, parts: Vec<Part<'p>> },
    Other { title: &'p str, kind: &'p str },
}

/// A component: a box within a server's box.
pub(super) struct Part<'p> {
    pub(super) component: &'p Component,
    pub(super) kind: &'p str,
    /// Its position within the server.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
    /// Inputs that other components feed, with their types, and outputs that others read.
    pub(super) inputs: Vec<(&'p str, &'p str)>,
    pub(super) outputs: Vec<&'p str>,
}

/// A wire from one box to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire<'p> {
    pub(super) edge: &'p Edge,
    /// The index of its edge in the diagram.
    #[cfg_attr(not(feature = "page"), expect(dead_code, reason = "the page names edges by it"))]
    pub(super) number: usize,
    pub(super) from: End,
    pub(super) to: End,
}

/// The end of a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) of: usize,
    /// The component within.
    pub(super) part: Option<usize>,
    /// Measured from the box's top. For a frame it is unknown until the frame is placed.
    pub(super) y: f64,
    /// How far inside the box it ends.
    pub(super) inset: f64,
}

impl<'p> Scene<'p> {
    pub(super) fn of(diagram: &'p Diagram) -> Self {
        let tree = Tree::of(diagram);
        let mut scene = Self { boxes: Vec::new(), wires: Vec::new(), bands: Vec::new() };
        let used = Used::of(diagram);
        let mut bands: HashMap<&str, usize> = HashMap::new();
        let folded = Folded::of(diagram);
        scene.bands = folded.bands(diagram);
        bands.extend(scene.bands.iter().enumerate().map(|(index, band)| (band.name, index)));
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
        for resource in &diagram.resources {
            if let Some(of) = index.get(&*resource.name).copied() {
                let on: Vec<_> =
                    resource.networks.iter().filter_map(|network| bands.get(&**network).copied()).collect();
                scene.attach(of, on);
            }
        }
        for edge in diagram.edges.iter().filter(|edge| edge.why == Why::Infrastructure) {
            // A resource that depends on a network or its subnet is on it, unless it is part of the network itself.
            if let (Some(band), Some(of)) = (bands.get(&*edge.from), index.get(&*edge.to)) {
                scene.attach(*of, [*band]);
            }
        }
        scene.widen();
        scene.wire(diagram, &index, &folded);
        scene
    }

    /// Adds the box of a module with its content.
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
                    // A module with only components has no content of its own, because they run on servers of other modules.
                    if self.boxes[index].within.is_empty() {
                        self.boxes.truncate(index);
                        continue;
                    }
                    let title = module.title.as_deref().unwrap_or_else(|| local(&module.name)).to_owned();
                    self.boxes[index].body = Body::Frame { title, kind: &module.kind };
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

    /// Widens boxes to fit the names of their networks.
    fn widen(&mut self) {
        for of in &mut self.boxes {
            let names = of.on.iter().map(|band| chip_width(self.bands[*band].short) + CHIP_GAP).sum::<f64>();
            let lack = if of.on.is_empty() { 0.0 } else { (2.0 * CHIP_SIDE - CHIP_GAP + names - of.w).ceil() };
            if lack > 0.0 {
                of.w += lack;
                if let Body::Server { parts, .. } = &mut of.body {
                    parts.iter_mut().for_each(|part| part.w += lack);
                }
            }
        }
    }

    fn wire(&mut self, diagram: &'p Diagram, index: &HashMap<&'p str, usize>, folded: &Folded<'p>) {
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
        for (number, edge) in diagram.edges.iter().enumerate() {
            if edge.why == Why::Infrastructure && !folded.has_line(edge) {
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
                self.wires.push(Wire { edge, number, from, to });
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

/// The width of a network's name on a box.
pub(super) fn chip_width(short: &str) -> f64 {
    (width(short, TINY) + 10.0).ceil()
}

/// Inputs and outputs to which data edges are attached.
struct Used<'p> {
    diagram: &'p Diagram,
    inputs: HashMap<&'p str, Vec<(&'p str, &'p str)>>,
    outputs: HashMap<&'p str, Vec<&'p str>>,
}

impl<'p> Used<'p> {
    fn of(diagram: &'p Diagram) -> Self {
        let mut used = Self { diagram, inputs: HashMap::new(), outputs: HashMap::new() };
        for edge in diagram.edges.iter().filter(|edge| edge.why == Why::Data) {
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

fn content<'p>(resource: &'p Resource, tree: &Tree<'p>, used: &Used<'p>, folded: &Folded<'p>) -> (Body<'p>, f64, f64) {
    let title = local(&resource.name);
    if resource.role != Role::ServerBox {
        let kind = resource.ty.strip_prefix("OS::").unwrap_or(&resource.ty);
        let w = width(title, SMALL + 1.0).max(width(kind, TINY)) + 22.0;
        return (Body::Other { title, kind }, w.ceil(), 36.0);
    }
    let about = folded.about_server(resource);
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
    let kind = used
        .diagram
        .component_types
        .get(&component.component_type)
        .map_or(&*component.component_type, |kind| &*kind.name);
    let kind = if *kind == *component.name { "" } else { kind };
    let left = |line: usize| inputs.get(line).map_or(0.0, |(name, ty)| width(name, SMALL) + width(ty, SMALL) + 20.0);
    let right = |line: usize| outputs.get(line).map_or(0.0, |name| width(name, SMALL) + 14.0);
    let count = inputs.len().max(outputs.len());
    let rows = (0..count).map(|line| left(line) + right(line) + 12.0).fold(0.0, f64::max);
    let title = bold(&component.name, NAME) + width(kind, SMALL) + 30.0;
    let h = TITLE + LINE * lines(count) + if count > 0 { 5.0 } else { 0.0 };
    Part { component, kind, x: 0.0, y: 0.0, w: rows.max(title).ceil(), h, inputs, outputs }
}
