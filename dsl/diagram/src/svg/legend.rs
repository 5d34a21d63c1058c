//! The legend below the diagram.

use std::fmt::Write as _;

use super::draw::{CHIP, MARGIN, number, text};
use super::measure::width;
use super::scene::SMALL;
use crate::Diagram;
use crate::legend::{Sign, legend};

/// Height of a line, and the gap between entries.
const LINE: f64 = 20.0;
const GAP: f64 = 22.0;
/// Width of a sample.
const SAMPLE: f64 = 34.0;

/// An entry of the legend and its position.
pub(super) struct Placed {
    sign: Sign,
    words: &'static str,
    x: f64,
    y: f64,
}

/// The legend in lines as wide as the diagram, and its height.
pub(super) fn signs(diagram: &Diagram, w: f64) -> (Vec<Placed>, f64) {
    let (mut x, mut y) = (MARGIN, LINE / 2.0);
    let mut placed = Vec::new();
    for (sign, words) in legend(diagram) {
        let own = SAMPLE + 8.0 + width(words, SMALL);
        if x > MARGIN && x + own > w - MARGIN {
            (x, y) = (MARGIN, y + LINE);
        }
        placed.push(Placed { sign, words, x, y });
        x += own + GAP;
    }
    let h = if placed.is_empty() { 0.0 } else { y + LINE };
    (placed, h)
}

pub(super) fn sign(out: &mut String, placed: &Placed) {
    let Placed { sign, words, x, y } = placed;
    if *sign == Sign::Network {
        let _ = writeln!(
            out,
            "<rect class=\"chip b0\" x=\"{}\" y=\"{}\" width=\"{SAMPLE}\" height=\"{CHIP}\" rx=\"3\"/>",
            number(*x),
            number(y - CHIP / 2.0)
        );
        text(out, "chipped mid", x + SAMPLE / 2.0, y + 3.0, "name");
    } else {
        let arrow = if *sign == Sign::Data { "ad" } else { "ao" };
        let class = sign.class();
        let _ = writeln!(
            out,
            "<path class=\"{class}\" marker-end=\"url(#{arrow})\" d=\"M{} {}H{}\"/>",
            number(*x),
            number(*y),
            number(x + SAMPLE)
        );
    }
    text(out, "muted", x + SAMPLE + 8.0, y + 3.5, words);
}
