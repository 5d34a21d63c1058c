//! The routes of links.
//!
//! Within a row, a link is straight across layers and curves between them, where there are no boxes. A link that leads back
//! turns behind its box, and again in front of the other. From one row to another, a link goes down beside its box, then
//! along between the rows and, if other rows are in between, to the left of all of them.

use std::collections::HashMap;

use super::place::Grid;
use super::{Border, Cell, Level, Link, Placed, Step};

const TRACK: f64 = 7.0;
/// How far a link that leads back extends when it turns.
const TURN: f64 = 22.0;

/// The track of each bundle.
type Tracks = HashMap<usize, usize>;

/// The space for links from row to row. Each bundle has a track in each gutter that it uses.
pub(super) struct Gutters {
    /// Above each row, and below the last.
    above: Vec<Tracks>,
    left: Tracks,
    /// Tracks beside layers: on the right where links leave, and on the left where they arrive.
    out: HashMap<usize, Tracks>,
    into: HashMap<usize, Tracks>,
    turns: bool,
}

fn add(tracks: &mut Tracks, bundle: usize) {
    let next = tracks.len();
    tracks.entry(bundle).or_insert(next);
}

#[expect(clippy::cast_precision_loss, reason = "tracks are few")]
fn tracks(count: usize) -> f64 {
    count as f64 * TRACK
}

/// The gutters that a link uses: below its own row, and above the target's.
fn gutters_of(level: &Level<'_>, link: &Link) -> (usize, usize) {
    let row = |item: usize| level.row_of[level.layer_of[item]];
    (row(link.from) + 1, row(link.to))
}

impl Gutters {
    pub(super) fn of(level: &Level<'_>) -> Self {
        let rows = level.row_of.last().map_or(0, |last| last + 1);
        let turns = level.links.iter().any(|link| link.is_back);
        let above = vec![HashMap::new(); rows + 1];
        let mut gutters = Self { above, left: HashMap::new(), out: HashMap::new(), into: HashMap::new(), turns };
        for link in level.links.iter().filter(|link| level.wraps(link)) {
            let (first, last) = gutters_of(level, link);
            add(&mut gutters.above[first], link.bundle);
            add(gutters.out.entry(level.layer_of[link.from]).or_default(), link.bundle);
            add(gutters.into.entry(level.layer_of[link.to]).or_default(), link.bundle);
            if first != last {
                add(&mut gutters.above[last], link.bundle);
                add(&mut gutters.left, link.bundle);
            }
        }
        gutters
    }

    /// The height of the gutter above a row, or below the last one.
    pub(super) fn height(&self, gutter: usize) -> f64 {
        let count = self.above[gutter].len();
        let is_between = gutter > 0 && gutter + 1 < self.above.len();
        tracks(count) + if is_between { 34.0 } else { 0.0 } + if count > 0 { 10.0 } else { 0.0 }
    }

    /// The width of the margin to the left of all rows.
    pub(super) fn margin(&self) -> f64 {
        let arriving = self.into.values().map(HashMap::len).max().unwrap_or(0);
        let turn = if self.turns { TURN } else { 0.0 };
        if arriving + self.left.len() == 0 { turn } else { (tracks(self.left.len() + arriving) + 18.0).max(turn) }
    }

    /// The width behind a layer for links that leave it and for those that arrive at the next one.
    pub(super) fn beside(&self, layer: usize) -> f64 {
        let count = |tracks: &HashMap<usize, Tracks>, layer| tracks.get(&layer).map_or(0, HashMap::len);
        tracks(count(&self.out, layer) + count(&self.into, layer + 1))
    }
}

pub(super) fn routed(level: &Level<'_>, gutters: &Gutters, grid: &Grid) -> Placed {
    let mut placed = Placed::default();
    for (item, layer) in level.layer_of.iter().enumerate() {
        let (left, right) = grid.x[*layer];
        let x = if level.items[item].border == Some(Border::Right) { right } else { left };
        placed.at.push((x, grid.of[&Cell::Item(item)]));
    }
    for link in level.links {
        let start = (placed.at[link.from].0 + level.items[link.from].w, placed.at[link.from].1 + link.from_y);
        let end = (placed.at[link.to].0, placed.at[link.to].1 + link.to_y);
        let steps = if level.wraps(link) {
            wrapped(level, gutters, grid, link, start, end)
        } else if link.is_back {
            back(level, grid, link, start, end)
        } else {
            forth(level, grid, link, start, end)
        };
        placed.paths.push((start, steps));
    }
    let leaving = gutters.out.values().map(|out| tracks(out.len()) + 14.0).fold(0.0, f64::max);
    placed.w = grid.x.iter().map(|(_, right)| *right).fold(0.0, f64::max)
        + leaving.max(if gutters.turns { TURN } else { 0.0 });
    placed.h = grid.y.last().map_or(0.0, |(_, bottom)| *bottom) + gutters.height(grid.y.len());
    placed
}

fn forth(level: &Level<'_>, grid: &Grid, link: &Link, start: (f64, f64), end: (f64, f64)) -> Vec<Step> {
    let mut steps = vec![Step::Line(grid.x[level.layer_of[link.from]].1, start.1)];
    for cell in level.way(link).into_iter().skip(1) {
        match cell {
            Cell::Passing { layer, .. } => {
                let ((left, right), y) = (grid.x[layer], grid.of[&cell]);
                steps.extend([Step::Curve(left, y), Step::Line(right, y)]);
            }
            Cell::Item(_) => steps.push(Step::Curve(end.0, end.1)),
        }
    }
    steps
}

fn back(level: &Level<'_>, grid: &Grid, link: &Link, start: (f64, f64), end: (f64, f64)) -> Vec<Step> {
    let mut steps = vec![Step::Line(grid.x[level.layer_of[link.from]].1, start.1)];
    for (index, cell) in level.way(link).into_iter().rev().enumerate() {
        let Cell::Passing { layer, .. } = cell else { continue };
        let ((left, right), y) = (grid.x[layer], grid.of[&cell]);
        steps.push(if index == 0 { Step::Turn(right, y, TURN) } else { Step::Curve(right, y) });
        steps.push(Step::Line(left, y));
    }
    steps.push(Step::Turn(end.0, end.1, -TURN));
    steps
}

fn wrapped(
    level: &Level<'_>,
    gutters: &Gutters,
    grid: &Grid,
    link: &Link,
    start: (f64, f64),
    end: (f64, f64),
) -> Vec<Step> {
    let (from, to) = (level.layer_of[link.from], level.layer_of[link.to]);
    let (first, last) = gutters_of(level, link);
    let at = |of: Option<&Tracks>| tracks(of.and_then(|tracks| tracks.get(&link.bundle)).copied().unwrap_or(0));
    let along = |gutter: usize| match gutter.checked_sub(1) {
        Some(row) => grid.y[row].1 + 16.0 + at(Some(&gutters.above[gutter])),
        None => at(Some(&gutters.above[gutter])),
    };
    let right = grid.x[from].1 + 10.0 + at(gutters.out.get(&from));
    let left = grid.x[to].0 - 14.0 - at(gutters.into.get(&to));
    let mut steps = vec![Step::Line(right, start.1), Step::Line(right, along(first))];
    if first != last {
        let margin = at(Some(&gutters.left));
        steps.extend([Step::Line(margin, along(first)), Step::Line(margin, along(last))]);
    }
    steps.extend([Step::Line(left, along(last)), Step::Line(left, end.1), Step::Line(end.0, end.1)]);
    steps
}
