//! The positions of cells: as near to their neighbours as their order and the gaps between them allow.

use std::collections::HashMap;

use super::{Cell, Level, Piece, Placed, route};

/// The gap below a box.
const GAP: f64 = 20.0;
/// The gap between passing links.
const TRACK: f64 = 8.0;
const SWEEPS: usize = 14;
/// How much taller than its tallest layer a level may be.
const LOOSE: f64 = 1.3;

/// Positions of layers and rows.
pub(super) struct Grid {
    /// The left and right side of each layer.
    pub(super) x: Vec<(f64, f64)>,
    /// The top and bottom of each row.
    pub(super) y: Vec<(f64, f64)>,
    pub(super) of: HashMap<Cell, f64>,
}

pub(super) fn place(level: &Level<'_>) -> Placed {
    let mut y = stacked(level);
    for sweep in 0..SWEEPS {
        let count = level.layers.len();
        if sweep % 2 == 0 {
            (0..count).for_each(|layer| settle(level, layer, &mut y, sweep));
        } else {
            (0..count).rev().for_each(|layer| settle(level, layer, &mut y, sweep));
        }
    }
    let is_wrapped = level.row_of.last().is_some_and(|last| *last > 0);
    let extents = level.layers.iter().map(|cells| extent(level, cells, &y));
    let (top, bottom) =
        extents.fold((f64::INFINITY, f64::NEG_INFINITY), |all, one| (all.0.min(one.0), all.1.max(one.1)));
    let compact = stacked(level);
    let tallest = level.layers.iter().map(|cells| extent(level, cells, &compact).1).fold(0.0, f64::max);
    // Straight links can make a row much taller than its content, and links around many boxes can do the same to a column.
    if is_wrapped || bottom - top > LOOSE * tallest + 400.0 {
        y = compact;
        if !is_wrapped {
            level.layers.iter().for_each(|cells| centre(level, cells, &mut y));
        }
    }
    let mut grid = Grid { x: Vec::new(), y: Vec::new(), of: y };
    let gutters = route::Gutters::of(level);
    rows(level, &gutters, &mut grid);
    columns(level, &gutters, &mut grid);
    route::routed(level, &gutters, &grid)
}

/// Stacks all cells of a layer.
fn stacked(level: &Level<'_>) -> HashMap<Cell, f64> {
    let mut y = HashMap::new();
    for cells in &level.layers {
        let mut at = 0.0;
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                at += room(cells[index - 1], *cell);
            }
            y.insert(*cell, at);
            at += level.height(*cell);
        }
    }
    y
}

/// The top of the first cell of a layer, and the bottom of the last one.
fn extent(level: &Level<'_>, cells: &[Cell], y: &HashMap<Cell, f64>) -> (f64, f64) {
    let top = cells.first().map_or(0.0, |cell| y[cell]);
    (top, cells.last().map_or(0.0, |cell| y[cell] + level.height(*cell)))
}

/// Moves the centre of a layer to zero.
fn centre(level: &Level<'_>, cells: &[Cell], y: &mut HashMap<Cell, f64>) {
    let (top, bottom) = extent(level, cells, y);
    for cell in cells {
        if let Some(y) = y.get_mut(cell) {
            *y -= f64::midpoint(top, bottom);
        }
    }
}

fn room(above: Cell, below: Cell) -> f64 {
    match (above, below) {
        (Cell::Passing { .. }, Cell::Passing { .. }) => TRACK,
        (Cell::Item(_), Cell::Item(_)) => GAP,
        _ => 0.6 * GAP,
    }
}

/// Moves the cells of a layer towards their neighbours: those on the left, those on the right, and finally those on both
/// sides.
fn settle(level: &Level<'_>, layer: usize, y: &mut HashMap<Cell, f64>, sweep: usize) {
    let both = sweep + 4 >= SWEEPS;
    let (left, right) = (both || sweep.is_multiple_of(2), both || !sweep.is_multiple_of(2));
    let mut wishes: HashMap<Cell, (f64, f64)> = HashMap::new();
    let mut wish = |cell: Cell, at: f64, weight: f64| {
        let (sum, weights) = wishes.entry(cell).or_default();
        *sum += weight * at;
        *weights += weight;
    };
    let is_passing = |cell| matches!(cell, Cell::Passing { .. });
    let weight = |piece: &Piece| piece.weight * if is_passing(piece.from) && is_passing(piece.to) { 4.0 } else { 1.0 };
    for piece in level.pieces[..layer].last().into_iter().flatten().filter(|_| left) {
        wish(piece.to, y[&piece.from] + piece.from_y - piece.to_y, weight(piece));
    }
    for piece in level.pieces[layer].iter().filter(|_| right) {
        wish(piece.from, y[&piece.to] + piece.to_y - piece.from_y, weight(piece));
    }
    let cells = &level.layers[layer];
    // Subtracting the distances leaves only an order. Then those that would overlap move together to their mean.
    let mut offset = 0.0;
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    let mut offsets = Vec::with_capacity(cells.len());
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            offset += level.height(cells[index - 1]) + room(cells[index - 1], *cell);
        }
        offsets.push(offset);
        let (at, weight) = match wishes.get(cell) {
            Some((sum, weight)) => (sum / weight, *weight),
            None => (y[cell], 0.01),
        };
        let mut group = (at - offset, weight, 1);
        while let Some(above) = groups.last().filter(|above| above.0 > group.0) {
            let weight = above.1 + group.1;
            group = ((above.0 * above.1 + group.0 * group.1) / weight, weight, above.2 + group.2);
            groups.pop();
        }
        groups.push(group);
    }
    let mut index = 0;
    for (at, _, count) in groups {
        for _ in 0..count {
            y.insert(cells[index], at + offsets[index]);
            index += 1;
        }
    }
}

/// Puts rows below each other.
fn rows(level: &Level<'_>, gutters: &route::Gutters, grid: &mut Grid) {
    let count = level.row_of.last().map_or(0, |last| last + 1);
    let mut top = gutters.height(0);
    for row in 0..count {
        let cells =
            || level.layers.iter().zip(&level.row_of).filter(|(_, of)| **of == row).flat_map(|(cells, _)| cells);
        let least = cells().map(|cell| grid.of[cell]).fold(f64::INFINITY, f64::min);
        let most = cells().map(|cell| grid.of[cell] + level.height(*cell)).fold(f64::NEG_INFINITY, f64::max);
        for cell in cells() {
            if let Some(y) = grid.of.get_mut(cell) {
                *y += top - least;
            }
        }
        let bottom = top + most - least;
        grid.y.push((top, bottom));
        top = bottom + gutters.height(row + 1);
    }
}

/// Puts layers next to each other.
fn columns(level: &Level<'_>, gutters: &route::Gutters, grid: &mut Grid) {
    let mut at = 0.0;
    for (layer, cells) in level.layers.iter().enumerate() {
        if layer == 0 || level.row_of[layer] != level.row_of[layer - 1] {
            at = gutters.margin();
        }
        let width = |cell: &Cell| match cell {
            Cell::Item(item) => level.items[*item].w,
            Cell::Passing { .. } => 0.0,
        };
        let width = cells.iter().map(width).fold(0.0, f64::max);
        grid.x.push((at, at + width));
        let is_border =
            cells.iter().any(|cell| matches!(cell, Cell::Item(item) if level.items[*item].border.is_some()));
        let next_is_border = level
            .layers
            .get(layer + 1)
            .into_iter()
            .flatten()
            .any(|cell| matches!(cell, Cell::Item(item) if level.items[*item].border.is_some()));
        let gap = if is_border || next_is_border { 34.0 } else { 46.0 };
        at += width
            + gap
            + f64::from(u8::try_from(level.pieces[layer].len().min(14)).unwrap_or(14)) * 4.0
            + gutters.beside(layer);
    }
}
