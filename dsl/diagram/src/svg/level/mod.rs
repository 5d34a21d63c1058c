//! Layered layout of one level: boxes of known sizes, and links from left to right.
//!
//! The method is Sugiyama's. Boxes are assigned to layers by their dependencies, and links that pass through a layer get a
//! cell in it. Cells are then ordered to reduce crossings, and finally positioned so that links are straight. A layer that
//! is too tall continues in the next layer, and a row that is too wide in the next row. Links of one bundle are drawn once
//! as far as they share a route.

mod order;
mod place;
mod rank;
mod route;

/// A box to be placed.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) w: f64,
    pub(super) h: f64,
    /// The side it is on, if it is a point on the border where links enter or leave.
    pub(super) border: Option<Border>,
    /// Its group among similar items, and its number in the group. Members are ordered by number.
    pub(super) member: Option<(usize, u64)>,
}

/// A side of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Border {
    Left,
    Right,
}

/// A link from the right side of one item to the left side of another. Links that do not lead back form no cycle.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Where it leaves, measured from the item's top.
    pub(super) from_y: f64,
    /// Where it arrives, measured from the item's top.
    pub(super) to_y: f64,
    /// Links of one bundle share a route as far as they can.
    pub(super) bundle: usize,
    pub(super) weight: f64,
    /// Whether it leads back, to an item in front of the one that it comes from.
    pub(super) is_back: bool,
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// A curve that begins and ends horizontally.
    Curve(f64, f64),
    /// A straight line; corners between lines are rounded.
    Line(f64, f64),
    /// A curve that turns back, with how far it extends to the right while turning.
    Turn(f64, f64, f64),
}

impl Step {
    /// The same step, shifted.
    pub(super) fn moved(self, x: f64, y: f64) -> Self {
        match self {
            Self::Curve(to_x, to_y) => Self::Curve(to_x + x, to_y + y),
            Self::Line(to_x, to_y) => Self::Line(to_x + x, to_y + y),
            Self::Turn(to_x, to_y, out) => Self::Turn(to_x + x, to_y + y, out),
        }
    }
}

/// The result of the layout.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    pub(super) at: Vec<(f64, f64)>,
    /// For each link, its start and its steps.
    pub(super) paths: Vec<((f64, f64), Vec<Step>)>,
    pub(super) w: f64,
    pub(super) h: f64,
}

/// A cell of a layer: an item or a passing bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Cell {
    Item(usize),
    Passing { bundle: usize, layer: usize },
}

/// A segment of a link between neighbouring layers.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: Cell,
    to: Cell,
    from_y: f64,
    to_y: f64,
    weight: f64,
}

/// The level during layout.
struct Level<'i> {
    items: &'i [Item],
    links: &'i [Link],
    layer_of: Vec<usize>,
    /// The row of each layer.
    row_of: Vec<usize>,
    layers: Vec<Vec<Cell>>,
    /// Segments, by the layer in which they start.
    pieces: Vec<Vec<Piece>>,
}

/// Places items and links.
pub(super) fn place(items: &[Item], links: &[Link]) -> Placed {
    if items.is_empty() {
        return Placed::default();
    }
    let layer_of = rank::layers(items, links);
    let row_of = rank::rows(items, links, &layer_of);
    let count = row_of.len();
    let (layers, pieces) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let mut level = Level { items, links, layer_of, row_of, layers, pieces };
    level.cells();
    order::order(&mut level);
    place::place(&level)
}

impl Level<'_> {
    /// Whether a link leads from one row to another.
    fn wraps(&self, link: &Link) -> bool {
        self.row_of[self.layer_of[link.from]] != self.row_of[self.layer_of[link.to]]
    }

    fn height(&self, cell: Cell) -> f64 {
        match cell {
            Cell::Item(item) => self.items[item].h,
            Cell::Passing { .. } => 0.0,
        }
    }

    /// The cells along a link, including its ends.
    fn way(&self, link: &Link) -> Vec<Cell> {
        let (from, to) = (self.layer_of[link.from], self.layer_of[link.to]);
        if link.is_back {
            return (to..=from).map(|layer| Cell::Passing { bundle: link.bundle, layer }).collect();
        }
        let passing = (from + 1..to).map(|layer| Cell::Passing { bundle: link.bundle, layer });
        std::iter::once(Cell::Item(link.from)).chain(passing).chain([Cell::Item(link.to)]).collect()
    }

    fn cells(&mut self) {
        for (item, layer) in self.layer_of.iter().enumerate() {
            self.layers[*layer].push(Cell::Item(item));
        }
        let mut known = std::collections::HashSet::new();
        for link in self.links {
            if self.wraps(link) {
                continue;
            }
            let way = self.way(link);
            for cells in way.windows(2) {
                let layer = match (cells[0], cells[1]) {
                    (Cell::Item(item), _) => self.layer_of[item],
                    (Cell::Passing { layer, .. }, _) => layer,
                };
                let from_y = if cells[0] == Cell::Item(link.from) { link.from_y } else { 0.0 };
                let to_y = if cells[1] == Cell::Item(link.to) { link.to_y } else { 0.0 };
                if known.insert((cells[0], cells[1], from_y.to_bits(), to_y.to_bits())) {
                    let weight = link.weight;
                    self.pieces[layer].push(Piece { from: cells[0], to: cells[1], from_y, to_y, weight });
                }
            }
            for cell in way {
                if let Cell::Passing { layer, .. } = cell
                    && known.insert((cell, cell, 0, 0))
                {
                    self.layers[layer].push(cell);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
