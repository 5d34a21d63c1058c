//! The routes of wires as SVG path data.

use super::draw::number;
use super::level::Step;
use std::fmt::Write as _;

/// The path data, with rounded corners between straight lines.
pub(super) fn path(start: (f64, f64), steps: &[Step]) -> String {
    let mut out = format!("M{} {}", number(start.0), number(start.1));
    let (mut x, mut y) = start;
    for (index, step) in steps.iter().enumerate() {
        match *step {
            Step::Curve(to_x, to_y) => {
                if (to_y - y).abs() < 0.05 {
                    let _ = write!(out, "H{}", number(to_x));
                } else {
                    let middle = number(f64::midpoint(x, to_x));
                    let _ = write!(
                        out,
                        "C{middle} {} {middle} {} {} {}",
                        number(y),
                        number(to_y),
                        number(to_x),
                        number(to_y)
                    );
                }
                (x, y) = (to_x, to_y);
            }
            Step::Turn(to_x, to_y, out_x) => {
                let far = number(to_x + out_x);
                let _ = write!(out, "C{far} {} {far} {} {} {}", number(y), number(to_y), number(to_x), number(to_y));
                (x, y) = (to_x, to_y);
            }
            Step::Line(to_x, to_y) => {
                if (to_x - x).abs() < 0.05 && (to_y - y).abs() < 0.05 {
                    continue;
                }
                let next = steps.get(index + 1);
                let (dx, dy) = ((to_x - x).signum() * f64::from((to_x - x).abs() > 0.05), to_y - y);
                match next {
                    Some(Step::Line(next_x, next_y)) if (dx == 0.0) != ((next_x - to_x).abs() < 0.05) => {
                        let before = (to_x - x).abs().max(dy.abs());
                        let behind = (next_x - to_x).abs().max((next_y - to_y).abs());
                        let radius = 8.0_f64.min(before / 2.0).min(behind / 2.0);
                        let toward =
                            |from: f64, to: f64| if (to - from).abs() < 0.05 { 0.0 } else { (to - from).signum() };
                        let corner = (to_x - radius * toward(x, to_x), to_y - radius * toward(y, to_y));
                        let after = (to_x + radius * toward(to_x, *next_x), to_y + radius * toward(to_y, *next_y));
                        let _ = write!(
                            out,
                            "L{} {}Q{} {} {} {}",
                            number(corner.0),
                            number(corner.1),
                            number(to_x),
                            number(to_y),
                            number(after.0),
                            number(after.1)
                        );
                        (x, y) = after;
                    }
                    _ => {
                        let _ = write!(out, "L{} {}", number(to_x), number(to_y));
                        (x, y) = (to_x, to_y);
                    }
                }
            }
        }
    }
    out
}
