//! The layer of each item, and the row of each layer.

use super::{Border, Item, Link};

/// The preferred ratio of a diagram's width to its height.
const ASPECT: f64 = 1.5;
/// Layers up to this height are never split.
const TALL: f64 = 900.0;
/// Rows up to this width are never split.
const WIDE: f64 = 2600.0;
/// The approximate space that an item needs in addition to its own size.
const AROUND: (f64, f64) = (90.0, 18.0);

/// The layer of each item. No layer is empty.
pub(super) fn layers(items: &[Item], links: &[Link]) -> Vec<usize> {
    let natural = layers_below(items, links, f64::INFINITY);
    let area: f64 = items.iter().map(|item| (item.w + AROUND.0) * (item.h + AROUND.1)).sum();
    let limit = (area / ASPECT).sqrt().max(TALL).max(items.iter().map(|item| item.h).fold(0.0, f64::max));
    if heights(items, &natural).into_iter().fold(0.0, f64::max) <= 1.3 * limit {
        return natural;
    }
    layers_below(items, links, limit)
}

fn heights(items: &[Item], layers: &[usize]) -> Vec<f64> {
    let mut heights = vec![0.0; layers.iter().max().map_or(0, |last| last + 1)];
    for (item, layer) in items.iter().zip(layers) {
        heights[*layer] += item.h + AROUND.1;
    }
    heights
}

/// Layers no taller than `limit`, where possible.
fn layers_below(items: &[Item], links: &[Link], limit: f64) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    for link in links {
        let (from, to) = if link.is_back { (link.to, link.from) } else { (link.from, link.to) };
        before[to].push(from);
        behind[from].push(to);
    }
    let sorted = sorted(&before, &behind);
    let first = usize::from(items.iter().any(|item| item.border == Some(Border::Left)));
    let mut layer = vec![0; items.len()];
    let mut heights: Vec<f64> = Vec::new();
    let is_inner = |item: usize| items[item].border.is_none();
    let is_linked = |item: usize| !before[item].is_empty() || !behind[item].is_empty();
    for &item in sorted.iter().filter(|item| is_inner(**item) && is_linked(**item)) {
        let mut at = before[item].iter().map(|before| layer[*before] + 1).max().unwrap_or(first).max(first);
        let h = items[item].h + AROUND.1;
        while heights.get(at).is_some_and(|height| *height > 0.0 && height + h > limit) {
            at += 1;
        }
        if heights.len() <= at {
            heights.resize(at + 1, 0.0);
        }
        heights[at] += h;
        layer[item] = at;
    }
    // An item without dependencies goes next to the items that depend on it.
    for &item in sorted.iter().rev().filter(|item| is_inner(**item) && before[**item].is_empty()) {
        let next = behind[item].iter().filter(|next| is_inner(**next)).map(|next| layer[*next]).min();
        if let Some(next) = next.filter(|next| *next > layer[item] + 1) {
            let h = items[item].h + AROUND.1;
            if let Some(at) = (layer[item]..next).rev().find(|at| heights[*at] + h <= limit.min(1e9)) {
                heights[layer[item]] -= h;
                heights[at] += h;
                layer[item] = at;
            }
        }
    }
    alone(
        items,
        (0..items.len()).filter(|item| is_inner(*item) && !is_linked(*item)).collect(),
        first,
        &mut layer,
        heights,
    );
    let last = (0..items.len()).filter(|item| is_inner(*item)).map(|item| layer[item]).max().unwrap_or(first);
    for (item, of) in items.iter().enumerate() {
        match of.border {
            Some(Border::Left) => layer[item] = 0,
            Some(Border::Right) => layer[item] = last + 1,
            None => {}
        }
    }
    dense(&layer)
}

/// Puts items without links where there is space.
fn alone(items: &[Item], alone: Vec<usize>, first: usize, layer: &mut [usize], mut heights: Vec<f64>) {
    let area: f64 = items.iter().map(|item| (item.w + AROUND.0) * (item.h + AROUND.1)).sum();
    let tallest = heights.iter().copied().fold((area / ASPECT).sqrt(), f64::max);
    for item in alone {
        let h = items[item].h + AROUND.1;
        let at = (first..heights.len()).find(|at| heights[*at] + h <= tallest).unwrap_or(heights.len().max(first));
        if heights.len() <= at {
            heights.resize(at + 1, 0.0);
        }
        heights[at] += h;
        layer[item] = at;
    }
}

/// Sorts items topologically: each comes after those that it has links from.
fn sorted(before: &[Vec<usize>], behind: &[Vec<usize>]) -> Vec<usize> {
    let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut ready: std::collections::BTreeSet<usize> = (0..before.len()).filter(|item| missing[*item] == 0).collect();
    let mut sorted = Vec::with_capacity(before.len());
    while let Some(item) = ready.pop_first() {
        sorted.push(item);
        for next in &behind[item] {
            missing[*next] -= 1;
            if missing[*next] == 0 {
                ready.insert(*next);
            }
        }
    }
    sorted
}

/// The layers renumbered, so that none is empty.
fn dense(layers: &[usize]) -> Vec<usize> {
    let mut used = layers.to_vec();
    used.sort_unstable();
    used.dedup();
    layers.iter().map(|layer| used.binary_search(layer).unwrap_or_default()).collect()
}

/// The row of each layer.
pub(super) fn rows(items: &[Item], links: &[Link], layer_of: &[usize]) -> Vec<usize> {
    let heights = heights(items, layer_of);
    let mut widths = vec![0.0_f64; heights.len()];
    for (item, layer) in items.iter().zip(layer_of) {
        widths[*layer] = widths[*layer].max(item.w + AROUND.0);
    }
    let width: f64 = widths.iter().sum();
    let height = heights.iter().copied().fold(0.0, f64::max);
    if width <= WIDE || width <= 2.0 * ASPECT * height || links.is_empty() {
        return vec![0; heights.len()];
    }
    let limit = width / (width / (ASPECT * height)).sqrt().round().max(1.0);
    let (mut row, mut used) = (0, 0.0);
    let row_of = |width: &f64| {
        if used > 0.0 && used + width > limit {
            (row, used) = (row + 1, 0.0);
        }
        used += width;
        row
    };
    widths.iter().map(row_of).collect()
}
