//! The order of cells within their layers, which keeps crossings few, by the barycentre method.

use std::collections::{BTreeMap, HashMap};

use super::{Cell, Level};

const SWEEPS: usize = 12;

/// Orders the cells of all layers.
pub(super) fn order(level: &mut Level<'_>) {
    (0..level.layers.len()).for_each(|layer| number(level, layer));
    let mut best = level.layers.clone();
    let mut least = crossings(level);
    for sweep in 0..SWEEPS {
        let count = level.layers.len();
        if sweep % 2 == 0 {
            (1..count).for_each(|layer| sort(level, layer, true));
        } else {
            (0..count.saturating_sub(1)).rev().for_each(|layer| sort(level, layer, false));
        }
        let crossings = crossings(level);
        if crossings < least {
            (least, best) = (crossings, level.layers.clone());
        }
        if least == 0 {
            break;
        }
    }
    level.layers = best;
}

fn positions(cells: &[Cell]) -> HashMap<Cell, f64> {
    let mut positions = HashMap::with_capacity(cells.len());
    let mut at = 0.0;
    for cell in cells {
        positions.insert(*cell, at);
        at += 1.0;
    }
    positions
}

/// Where a segment ends within its cell, between 0 and 1.
fn share(level: &Level<'_>, cell: Cell, y: f64) -> f64 {
    let h = level.height(cell);
    if h > 0.0 { (y / h).clamp(0.0, 1.0) * 0.9 } else { 0.45 }
}

/// Sorts a layer by the positions of its neighbours to the left (or right).
fn sort(level: &mut Level<'_>, layer: usize, by_left: bool) {
    let (other, pieces) = if by_left { (layer - 1, layer - 1) } else { (layer + 1, layer) };
    let positions = positions(&level.layers[other]);
    let mut sums: HashMap<Cell, (f64, f64)> = HashMap::new();
    for piece in &level.pieces[pieces] {
        let (own, far, far_y) =
            if by_left { (piece.to, piece.from, piece.from_y) } else { (piece.from, piece.to, piece.to_y) };
        let Some(position) = positions.get(&far) else { continue };
        let sum = sums.entry(own).or_default();
        sum.0 += piece.weight * (position + share(level, far, far_y));
        sum.1 += piece.weight;
    }
    let mut keyed: Vec<(f64, Cell)> = Vec::with_capacity(level.layers[layer].len());
    // A cell without neighbours keeps its place among the others.
    let mut last = -1.0;
    for cell in &level.layers[layer] {
        if let Some((sum, weight)) = sums.get(cell) {
            last = sum / weight;
        }
        keyed.push((last, *cell));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    level.layers[layer] = keyed.into_iter().map(|(_, cell)| cell).collect();
    number(level, layer);
}

/// Orders similar items in one layer by their numbers, in the places that they occupy: readers look for the third one after
/// the second, even if that makes wires cross.
fn number(level: &mut Level<'_>, layer: usize) {
    let mut places: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
    for (place, cell) in level.layers[layer].iter().enumerate() {
        if let Cell::Item(item) = cell
            && let Some((alike, number)) = level.items[*item].member
        {
            places.entry(alike).or_default().push((place, number));
        }
    }
    for members in places.into_values().filter(|members| members.len() > 1) {
        let cells = level.layers[layer].clone();
        let mut sorted = members.clone();
        sorted.sort_by_key(|(_, number)| *number);
        for ((to, _), (from, _)) in members.into_iter().zip(sorted) {
            level.layers[layer][to] = cells[from];
        }
    }
}

/// The number of crossings.
fn crossings(level: &Level<'_>) -> usize {
    let mut crossings = 0;
    for (layer, pieces) in level.pieces.iter().enumerate().filter(|(_, pieces)| pieces.len() > 1) {
        let left = positions(&level.layers[layer]);
        let right = positions(&level.layers[layer + 1]);
        let mut ends: Vec<(f64, f64)> = pieces
            .iter()
            .map(|piece| {
                let from = left[&piece.from] + share(level, piece.from, piece.from_y);
                (from, right[&piece.to] + share(level, piece.to, piece.to_y))
            })
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut sorted: Vec<f64> = ends.iter().map(|(_, to)| *to).collect();
        crossings += inversions(&mut sorted);
    }
    crossings
}

/// The number of pairs in the wrong order. Sorts the values.
fn inversions(values: &mut [f64]) -> usize {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let (left, right) = values.split_at_mut(middle);
    let mut count = inversions(left) + inversions(right);
    let (mut merged, mut at) = (Vec::with_capacity(values.len()), 0);
    let (left, right) = values.split_at(middle);
    for value in left {
        while at < right.len() && right[at] < *value {
            merged.push(right[at]);
            at += 1;
        }
        count += at;
        merged.push(*value);
    }
    merged.extend(&right[at..]);
    values.copy_from_slice(&merged);
    count
}
