//! Layered layout of one level: boxes of known sizes, and links that lead from left to right.
//!
//! The manner of Sugiyama: boxes get layers by who needs whom, links that pass by layers get a place in each of them,
//! places are put in an order with few crossings, and then to where links are straight. What is too tall goes on in the next
//! layer, what is too wide in the next row. A link is drawn once as far as it goes the same way as others of its bundle.

mod order;
mod place;
mod rank;
mod route;

/// A box to be placed.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) w: f64,
    pub(super) h: f64,
    /// Where it is, if it is a place in the border through which links come or go.
    pub(super) border: Option<Border>,
    /// Which of several alike it is, and its number among them: they stand in the order of their numbers.
    pub(super) member: Option<(usize, u64)>,
}

/// A side of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Border {
    Left,
    Right,
}

/// A link from the right side of one item to the left side of another one. Those that do not lead back form no cycle.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Where it leaves, from the item's top.
    pub(super) from_y: f64,
    /// Where it arrives, from the item's top.
    pub(super) to_y: f64,
    /// Links of one bundle go the same way as far as they can.
    pub(super) bundle: usize,
    pub(super) weight: f64,
    /// Whether it leads back, to an item that stands before the one that it comes from.
    pub(super) is_back: bool,
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// A curve that begins and ends horizontally.
    Curve(f64, f64),
    /// A straight line; corners between lines are rounded.
    Line(f64, f64),
    /// A curve that turns back, and goes this far to the right while it does.
    Turn(f64, f64, f64),
}

impl Step {
    /// The same step elsewhere.
    pub(super) fn moved(self, x: f64, y: f64) -> Self {
        match self {
            Self::Curve(to_x, to_y) => Self::Curve(to_x + x, to_y + y),
            Self::Line(to_x, to_y) => Self::Line(to_x + x, to_y + y),
            Self::Turn(to_x, to_y, out) => Self::Turn(to_x + x, to_y + y, out),
        }
    }
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    pub(super) at: Vec<(f64, f64)>,
    /// For each link: where it begins, and its steps.
    pub(super) paths: Vec<((f64, f64), Vec<Step>)>,
    pub(super) w: f64,
    pub(super) h: f64,
}

/// Places of a layer: an item, or a passing bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Cell {
    Item(usize),
    Passing { bundle: usize, layer: usize },
}

/// A piece of a link between neighbouring layers.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: Cell,
    to: Cell,
    from_y: f64,
    to_y: f64,
    weight: f64,
}

/// The level while it is laid out.
struct Level<'i> {
    items: &'i [Item],
    links: &'i [Link],
    layer_of: Vec<usize>,
    /// By layer its row.
    row_of: Vec<usize>,
    layers: Vec<Vec<Cell>>,
    /// By the layer that they begin in.
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
    /// Whether a link goes from row to row.
    fn wraps(&self, link: &Link) -> bool {
        self.row_of[self.layer_of[link.from]] != self.row_of[self.layer_of[link.to]]
    }

    fn height(&self, cell: Cell) -> f64 {
        match cell {
            Cell::Item(item) => self.items[item].h,
            Cell::Passing { .. } => 0.0,
        }
    }

    /// The cells that a link passes, ends included.
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
