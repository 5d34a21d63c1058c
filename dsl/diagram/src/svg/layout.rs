//! Nested levels: each frame is laid out before the one around it.

use std::collections::{HashMap, HashSet};

use super::level::{Border, Item, Link, Step, place};
use super::measure::{bold, width};
use super::scene::{Body, End, NAME, SMALL, Scene, Wire};

/// Padding of a frame: at its sides, above and below.
const SIDES: f64 = 22.0;
const ABOVE: f64 = 40.0;
const BELOW: f64 = 20.0;

/// Padding around the content of a frame: left, top, right and bottom.
#[cfg(feature = "page")]
pub(super) const AROUND: (f64, f64, f64, f64) = (SIDES, ABOVE, SIDES, BELOW);

/// The route of a wire.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Its index in [`Scene::wires`].
    pub(super) wire: usize,
    pub(super) start: (f64, f64),
    pub(super) steps: Vec<Step>,
}

impl Way {
    /// The same route, shifted.
    #[cfg(feature = "page")]
    pub(super) fn moved(&self, x: f64, y: f64) -> Self {
        let start = (self.start.0 + x, self.start.1 + y);
        Self { wire: self.wire, start, steps: self.steps.iter().map(|step| step.moved(x, y)).collect() }
    }
}

/// A wire between boxes.
#[derive(Clone, Copy, Debug)]
struct Run {
    wire: usize,
    from: End,
    to: End,
    /// The innermost frame that contains both ends.
    frame: usize,
    bundle: usize,
    is_back: bool,
    weight: f64,
}

type Path = ((f64, f64), Vec<Step>);

struct Layout<'s, 'p> {
    scene: &'s mut Scene<'p>,
    runs: Vec<Run>,
    /// For each frame, the wires that have a segment in it.
    runs_of: HashMap<usize, Vec<usize>>,
    /// For each frame, bundle and side: where wires cross the frame's border, measured from its top.
    borders: HashMap<(usize, usize, Border), f64>,
    /// For each wire and frame, the segment within the frame.
    pieces: HashMap<(usize, usize), Path>,
}

/// Places all boxes and returns the routes of wires.
pub(super) fn layout(scene: &mut Scene<'_>) -> Vec<Way> {
    let runs = runs(scene);
    let mut runs_of: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, run) in runs.iter().enumerate() {
        let mut add = |frame| runs_of.entry(frame).or_default().push(index);
        add(run.frame);
        for end in [run.from, run.to] {
            above(scene, end.of).take_while(|frame| *frame != run.frame).for_each(&mut add);
        }
    }
    let mut layout = Layout { scene, runs, runs_of, borders: HashMap::new(), pieces: HashMap::new() };
    // Boxes come after the frame around them.
    for index in (0..layout.scene.boxes.len()).rev() {
        if matches!(layout.scene.boxes[index].body, Body::Frame { .. }) {
            layout.frame(index);
        }
    }
    for index in 1..layout.scene.boxes.len() {
        let (x, y) = (layout.scene.boxes[index].x, layout.scene.boxes[index].y);
        let frame = layout.scene.boxes[index].frame.map(|frame| &layout.scene.boxes[frame]);
        let at = frame.map_or((x, y), |frame| (x + frame.x, y + frame.y));
        (layout.scene.boxes[index].x, layout.scene.boxes[index].y) = at;
    }
    let mut ways: Vec<Way> = (0..layout.runs.len()).map(|run| layout.way(run)).collect();
    ways.extend(within(layout.scene));
    ways.sort_by_key(|way| way.wire);
    ways
}

/// The frames around a box, from the innermost outwards.
fn above<'s>(scene: &'s Scene<'_>, of: usize) -> impl Iterator<Item = usize> + 's {
    std::iter::successors(scene.boxes[of].frame, |frame| scene.boxes[*frame].frame)
}

/// The direct child of `frame` that is, or contains, a box.
fn child(scene: &Scene<'_>, of: usize, frame: usize) -> usize {
    let is_child = |at: &usize| scene.boxes[*at].frame == Some(frame);
    std::iter::once(of).chain(above(scene, of)).find(is_child).unwrap_or(of)
}

fn runs(scene: &Scene<'_>) -> Vec<Run> {
    let mut between: Vec<(usize, Wire<'_>, usize)> = Vec::new();
    for (index, wire) in scene.wires.iter().enumerate().filter(|(_, wire)| wire.from.of != wire.to.of) {
        let around: HashSet<usize> = above(scene, wire.from.of).collect();
        let frame = above(scene, wire.to.of).find(|frame| around.contains(frame));
        // No wire is drawn between a frame and something in it.
        let is_within = around.contains(&wire.to.of) || above(scene, wire.to.of).any(|frame| frame == wire.from.of);
        if let Some(frame) = frame.filter(|_| !is_within) {
            between.push((index, *wire, frame));
        }
    }
    let mut pairs: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    for (_, wire, frame) in &between {
        let pair = (child(scene, wire.from.of, *frame), child(scene, wire.to.of, *frame));
        pairs.entry(*frame).or_default().push(pair);
    }
    let reversed: HashSet<(usize, usize)> =
        pairs.iter().flat_map(|(frame, pairs)| back(&scene.boxes[*frame].within, pairs)).collect();
    let key = |end: &End| (end.of, end.part, end.y.to_bits());
    let mut degrees: HashMap<_, usize> = HashMap::new();
    for (_, wire, _) in &between {
        *degrees.entry((true, key(&wire.from))).or_default() += 1;
        *degrees.entry((false, key(&wire.to))).or_default() += 1;
    }
    let mut bundles: HashMap<_, usize> = HashMap::new();
    let run = |(wire, of, frame): (usize, Wire<'_>, usize)| {
        let (from, to) = ((true, key(&of.from)), (false, key(&of.to)));
        let bundle = if degrees[&from] >= degrees[&to] { from } else { to };
        let is_back = reversed.contains(&(child(scene, of.from.of, frame), child(scene, of.to.of, frame)));
        let next = bundles.len();
        let bundle = *bundles.entry((bundle, is_back)).or_insert(next);
        let weight = if of.edge.label().is_some() { 3.0 } else { 1.0 };
        Run { wire, from: of.from, to: of.to, frame, bundle, is_back, weight }
    };
    between.into_iter().map(run).collect()
}

/// Edges that close a cycle when nodes are visited in order.
fn back(nodes: &[usize], edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
    for (from, to) in edges {
        let next = next.entry(*from).or_default();
        if !next.contains(to) {
            next.push(*to);
        }
    }
    let (mut back, mut done, mut open) = (Vec::new(), HashSet::new(), HashSet::new());
    for start in nodes {
        let mut stack = vec![(*start, 0)];
        while let Some((node, at)) = stack.pop() {
            if at == 0 && (done.contains(&node) || !open.insert(node)) {
                continue;
            }
            let Some(to) = next.get(&node).and_then(|next| next.get(at)) else {
                open.remove(&node);
                done.insert(node);
                continue;
            };
            stack.push((node, at + 1));
            if open.contains(to) {
                back.push((node, *to));
            } else {
                stack.push((*to, 0));
            }
        }
    }
    back
}

/// Groups names that differ only by a number: for each name its group and its number. `server1` to `server5` form a group,
/// and `server2` is number 2 in it.
fn members<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Option<(usize, u64)>> {
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    let mut member = |name: &'n str| {
        let end = name.rfind(|character: char| character.is_ascii_digit())? + 1;
        let begin = name[..end].trim_end_matches(|character: char| character.is_ascii_digit()).len();
        let number = name[begin..end].parse().ok()?;
        let next = known.len();
        Some((*known.entry((&name[..begin], &name[end..])).or_insert(next), number))
    };
    names.map(&mut member).collect()
}

impl Layout<'_, '_> {
    /// Where a wire's end leaves the child that contains it, measured from the child's top.
    fn height(&self, end: &End, child: usize, bundle: usize, side: Border) -> f64 {
        let of = &self.scene.boxes[end.of];
        match (child == end.of, &of.body) {
            (false, _) => self.borders.get(&(child, bundle, side)).copied().unwrap_or(of.h / 2.0),
            (true, Body::Frame { .. }) => of.h / 2.0,
            (true, _) => end.y,
        }
    }

    fn frame(&mut self, frame: usize) {
        let children = self.scene.boxes[frame].within.clone();
        let index: HashMap<usize, usize> = children.iter().enumerate().map(|(item, child)| (*child, item)).collect();
        let members = members(children.iter().map(|child| self.scene.boxes[*child].name));
        let item = |(child, member): (&usize, _)| {
            let of = &self.scene.boxes[*child];
            Item { w: of.w, h: of.h, border: None, member }
        };
        let mut items: Vec<Item> = children.iter().zip(members).map(item).collect();
        let mut borders: HashMap<(usize, Border), usize> = HashMap::new();
        let mut order: Vec<(usize, Border)> = Vec::new();
        let mut links = Vec::new();
        let runs = self.runs_of.get(&frame).cloned().unwrap_or_default();
        for run in runs.iter().map(|run| self.runs[*run]) {
            let mut side = |end: &End, facing: Border, is_inside: bool| {
                if is_inside {
                    let child = child(self.scene, end.of, frame);
                    return (index[&child], self.height(end, child, run.bundle, facing));
                }
                // The other end is outside: the wire crosses the border.
                let border = if facing == Border::Right { Border::Left } else { Border::Right };
                let item = *borders.entry((run.bundle, border)).or_insert_with(|| {
                    items.push(Item { w: 0.0, h: 2.0, border: Some(border), member: None });
                    order.push((run.bundle, border));
                    items.len() - 1
                });
                (item, 1.0)
            };
            let is_in = |end: &End| run.frame == frame || above(self.scene, end.of).any(|around| around == frame);
            let (from, from_y) = side(&run.from, Border::Right, is_in(&run.from));
            let (to, to_y) = side(&run.to, Border::Left, is_in(&run.to));
            let is_back = run.is_back && run.frame == frame;
            links.push(Link { from, to, from_y, to_y, bundle: run.bundle, weight: run.weight, is_back });
        }
        let placed = place(&items, &links);
        for (item, child) in children.iter().enumerate() {
            let (x, y) = placed.at[item];
            (self.scene.boxes[*child].x, self.scene.boxes[*child].y) = (x + SIDES, y + ABOVE);
        }
        for (offset, (bundle, border)) in order.into_iter().enumerate() {
            let y = placed.at[children.len() + offset].1;
            self.borders.insert((frame, bundle, border), y + 1.0 + ABOVE);
        }
        for (run, path) in runs.into_iter().zip(placed.paths) {
            self.pieces.insert((run, frame), path);
        }
        let of = &mut self.scene.boxes[frame];
        let title = match &of.body {
            Body::Frame { title, kind } => bold(title, NAME) + width(kind, SMALL) + 36.0,
            _ => 0.0,
        };
        of.w = (placed.w + 2.0 * SIDES).max(title).ceil();
        of.h = (placed.h + ABOVE + BELOW).ceil();
    }

    fn way(&self, index: usize) -> Way {
        let run = &self.runs[index];
        let (left, right) = (&self.scene.boxes[run.from.of], &self.scene.boxes[run.to.of]);
        let out: Vec<usize> = above(self.scene, run.from.of).take_while(|frame| *frame != run.frame).collect();
        let mut into: Vec<usize> = above(self.scene, run.to.of).take_while(|frame| *frame != run.frame).collect();
        into.reverse();
        let y = |of: &super::scene::Box<'_>, end: &End| {
            of.y + if matches!(of.body, Body::Frame { .. }) { of.h / 2.0 } else { end.y }
        };
        let start = (left.x + left.w - run.from.inset, y(left, &run.from));
        let mut steps = Vec::new();
        for frame in out.into_iter().chain([run.frame]).chain(into) {
            let Some((from, piece)) = self.pieces.get(&(index, frame)) else { continue };
            let (x, y) = (self.scene.boxes[frame].x + SIDES, self.scene.boxes[frame].y + ABOVE);
            steps.push(Step::Line(from.0 + x, from.1 + y));
            steps.extend(piece.iter().map(|step| step.moved(x, y)));
        }
        steps.push(Step::Line(right.x + run.to.inset, y(right, &run.to)));
        Way { wire: run.wire, start, steps }
    }
}

/// Wires between components of one server: straight down to the next component, otherwise around those in between.
fn within(scene: &Scene<'_>) -> Vec<Way> {
    let mut tracks: HashMap<usize, u8> = HashMap::new();
    let mut ways = Vec::new();
    for (index, wire) in scene.wires.iter().enumerate().filter(|(_, wire)| wire.from.of == wire.to.of) {
        let server = &scene.boxes[wire.from.of];
        let Body::Server { parts, .. } = &server.body else { continue };
        let (Some(from), Some(to)) = (wire.from.part, wire.to.part) else { continue };
        let (a, b) = (&parts[from], &parts[to]);
        if wire.edge.why.is_order() && to == from + 1 {
            let x = server.x + a.x + 16.0;
            let start = (x, server.y + a.y + a.h);
            ways.push(Way { wire: index, start, steps: vec![Step::Line(x, server.y + b.y)] });
            continue;
        }
        let track = tracks.entry(wire.from.of).or_default();
        // Clear of the ring that a page draws around what is selected.
        let far = 8.0 + f64::from(*track % 4) * 2.0;
        *track = track.wrapping_add(1);
        let gap = if b.y > a.y { a.y + a.h + far } else { a.y - far };
        let (right, left) = (server.x + a.x + a.w + far, server.x + b.x - far);
        let (from_y, to_y) = (server.y + wire.from.y, server.y + wire.to.y);
        let steps = vec![
            Step::Line(right, from_y),
            Step::Line(right, server.y + gap),
            Step::Line(left, server.y + gap),
            Step::Line(left, to_y),
            Step::Line(server.x + b.x, to_y),
        ];
        ways.push(Way { wire: index, start: (server.x + a.x + a.w, from_y), steps });
    }
    ways
}
