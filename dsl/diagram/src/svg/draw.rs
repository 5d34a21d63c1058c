//! Draws a diagram whose boxes are placed.

use std::fmt::Write as _;

use super::layout::Way;
use super::legend::{sign, signs};
use super::measure::{bold, width};
use super::path::path;
use super::scene::{Body, Box, CHIP_GAP, CHIP_SIDE, LINE, NAME, Part, SMALL, Scene, TITLE, chip_width};
use crate::legend::Sign;
use crate::prose::summary;
use crate::{Diagram, Why};

/// The margin around everything and around the title.
pub(super) const MARGIN: f64 = 24.0;
const HEADER: f64 = 54.0;
/// Height of a network's band.
const BAND: f64 = 26.0;
const BAND_GAP: f64 = 8.0;
/// Height of network names on boxes.
pub(super) const CHIP: f64 = 13.0;
/// The number of colours for networks. Nothing else has a colour of its own.
const COLORS: usize = 5;

const STYLE: &str = include_str!("style.css");

/// The image of a scene whose boxes are placed.
pub(super) fn draw(diagram: &Diagram, scene: &Scene<'_>, ways: &[Way]) -> String {
    let all = &scene.boxes[0];
    let bands = scene.bands.iter().map(|_| BAND + BAND_GAP).sum::<f64>();
    // Frames reserve room at the top for a title, but the title of the outermost one is elsewhere.
    let (left, top) = (MARGIN - 22.0, HEADER + bands - 22.0);
    let title = summary(&diagram.description);
    let words = bold(&diagram.stack, 20.0).max(width(&title, NAME)) + 2.0 * MARGIN;
    let about = scene.bands.iter().map(|band| bold(band.name, NAME) + width(&band.about, SMALL) + 60.0);
    let w = (all.w + 2.0 * left).max(words).max(about.fold(320.0, f64::max) + 2.0 * MARGIN).ceil();
    let bottom = top + all.h + MARGIN - 20.0;
    let (signs, below) = signs(diagram, w);
    let h = (bottom + below).ceil();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         aria-labelledby=\"title\">\n<title id=\"title\">{}</title>\n<style>\n{STYLE}</style>\n",
        escaped(&diagram.stack)
    );
    out.push_str("<defs>");
    marker(&mut out, "ad", "fd");
    marker(&mut out, "ao", "fo");
    out.push_str("</defs>\n");
    let _ = writeln!(out, "<rect class=\"ground\" width=\"{w}\" height=\"{h}\"/>");
    text(&mut out, "stack", MARGIN, 30.0, &diagram.stack);
    text(&mut out, "muted", MARGIN, 47.0, &title);
    for (index, band) in scene.bands.iter().enumerate() {
        let y = band_y(index);
        let _ = writeln!(
            out,
            "<rect class=\"band b{}\" x=\"{MARGIN}\" y=\"{}\" width=\"{}\" height=\"{BAND}\" rx=\"6\"/>",
            index % COLORS,
            number(y),
            number(w - 2.0 * MARGIN)
        );
        let name = text(&mut out, "name", MARGIN + 12.0, y + 17.0, band.name);
        text(&mut out, "muted", MARGIN + 24.0 + name, y + 17.0, &band.about);
    }
    let _ = writeln!(out, "<g transform=\"translate({} {})\">", number(left), number(top));
    for frame in scene.boxes.iter().skip(1) {
        if matches!(frame.body, Body::Frame { .. }) {
            rect(&mut out, "frame", frame, 10.0);
        }
    }
    // Titles are drawn before anything that crosses them.
    for frame in scene.boxes.iter().skip(1) {
        if let Body::Frame { title, kind } = &frame.body {
            let name = text(&mut out, "name over", frame.x + 14.0, frame.y + 22.0, title);
            text(&mut out, "muted over", frame.x + 22.0 + name, frame.y + 22.0, kind);
        }
    }
    for of in &scene.boxes {
        self::of(&mut out, of);
    }
    for is_data in [false, true] {
        for way in ways.iter().filter(|way| (scene.wires[way.wire].edge.why == Why::Data) == is_data) {
            wire(&mut out, scene, way);
        }
    }
    for of in &scene.boxes {
        if let Body::Server { parts, .. } = &of.body {
            parts.iter().for_each(|part| component(&mut out, of, part));
        }
    }
    scene.boxes.iter().for_each(|of| chips(&mut out, scene, of));
    out.push_str("</g>\n");
    let _ = writeln!(out, "<g transform=\"translate(0 {})\">", number(bottom));
    signs.iter().for_each(|placed| sign(&mut out, placed));
    out.push_str("</g>\n</svg>\n");
    out
}

fn band_y(band: usize) -> f64 {
    (0..band).fold(HEADER + 6.0, |y, _| y + BAND + BAND_GAP)
}

fn marker(out: &mut String, id: &str, class: &str) {
    let _ = write!(
        out,
        "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path class=\"{class}\" d=\"M0.5 1 7.5 4 0.5 7z\"/></marker>"
    );
}

fn of(out: &mut String, of: &Box<'_>) {
    match &of.body {
        Body::Frame { .. } => {}
        Body::Server { title, about, .. } => {
            let _ = writeln!(out, "<g id=\"{}\"><title>{}</title>", escaped(of.name), escaped(of.name));
            rect(out, "server", of, 8.0);
            text(out, "name", of.x + 18.0, of.y + 20.0, title);
            text(out, "muted", of.x + 18.0, of.y + 34.0, about);
            out.push_str("</g>\n");
        }
        Body::Other { title, kind } => {
            let _ = writeln!(out, "<g id=\"{}\"><title>{}</title>", escaped(of.name), escaped(of.name));
            rect(out, "other", of, 18.0);
            let middle = of.x + of.w / 2.0;
            text(out, "small mid", middle, of.y + 16.0, title);
            text(out, "tiny mid", middle, of.y + 28.0, kind);
            out.push_str("</g>\n");
        }
    }
}

/// The names of the networks that a box is on, in their colours. Lines to the networks would run through boxes that are not
/// on them.
fn chips(out: &mut String, scene: &Scene<'_>, of: &Box<'_>) {
    let (mut x, y) = (of.x + CHIP_SIDE, of.y - CHIP + 4.0);
    for band in &of.on {
        let known = &scene.bands[*band];
        let w = chip_width(known.short);
        let color = band % COLORS;
        let _ = writeln!(
            out,
            "<rect class=\"chip b{color}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{CHIP}\" rx=\"3\"/>",
            number(x),
            number(y),
            number(w)
        );
        text(out, "chipped mid", x + w / 2.0, y + 9.5, known.short);
        x += w + CHIP_GAP;
    }
}

fn component(out: &mut String, of: &Box<'_>, part: &Part<'_>) {
    let (x, y) = (of.x + part.x, of.y + part.y);
    let key = escaped(&part.component.key);
    let _ = writeln!(out, "<g id=\"{key}\"><title>{key}</title>");
    let _ = writeln!(
        out,
        "<rect class=\"part\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\"/>",
        number(x),
        number(y),
        number(part.w),
        number(part.h)
    );
    text(out, "name", x + 10.0, y + 16.5, &part.component.name);
    text(out, "muted end", x + part.w - 10.0, y + 16.5, part.kind);
    let mut line = y + TITLE + LINE / 2.0 - 1.0;
    for (input, ty) in &part.inputs {
        pin(out, x, line);
        let _ = writeln!(
            out,
            "<text class=\"small\" x=\"{}\" y=\"{}\">{}<tspan class=\"muted\">: {}</tspan></text>",
            number(x + 9.0),
            number(line + 3.5),
            escaped(input),
            escaped(ty)
        );
        line += LINE;
    }
    let mut line = y + TITLE + LINE / 2.0 - 1.0;
    for output in &part.outputs {
        pin(out, x + part.w, line);
        text(out, "small end", x + part.w - 9.0, line + 3.5, output);
        line += LINE;
    }
    out.push_str("</g>\n");
}

fn pin(out: &mut String, x: f64, y: f64) {
    let _ = writeln!(out, "<circle class=\"pin\" cx=\"{}\" cy=\"{}\" r=\"3\"/>", number(x), number(y));
}

fn rect(out: &mut String, class: &str, of: &Box<'_>, radius: f64) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{radius}\"/>",
        number(of.x),
        number(of.y),
        number(of.w),
        number(of.h)
    );
}

/// Writes text and returns its approximate width.
pub(super) fn text(out: &mut String, class: &str, x: f64, y: f64, text: &str) -> f64 {
    if !text.is_empty() {
        let _ =
            writeln!(out, "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>", number(x), number(y), escaped(text));
    }
    bold(text, NAME)
}

fn wire(out: &mut String, scene: &Scene<'_>, way: &Way) {
    let wire = &scene.wires[way.wire];
    let (class, arrow) = match wire.edge.why {
        Why::Data => (Sign::Data.class(), "ad"),
        Why::RunList | Why::After => (Sign::Order.class(), "ao"),
        Why::Infrastructure => (Sign::Infrastructure.class(), "ao"),
    };
    let title = match (wire.edge.label(), &wire.edge.output) {
        (Some(label), Some(output)) => format!("{} reads {label} from {}/{output}", wire.edge.to, wire.edge.from),
        _ => format!("{} waits for {}", wire.edge.to, wire.edge.from),
    };
    let _ = writeln!(
        out,
        "<path class=\"{class}\" marker-end=\"url(#{arrow})\" d=\"{}\"><title>{}</title></path>",
        path(way.start, &way.steps),
        escaped(&title)
    );
}

/// A length with at most one decimal.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Escapes text for an element or an attribute. Characters that XML does not allow are omitted.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            control if control.is_control() => {}
            '\u{fffe}' | '\u{ffff}' => {}
            other => out.push(other),
        }
    }
    out
}
