//! Diagrams as self-contained SVG images.
//!
//! What lives here: boxes with their content (`scene`), the layout of one level (`level`) and of nested levels (`layout`),
//! and drawing (`draw`). Modules are laid out from the inside outwards, so that the size of a box is known before it is
//! placed.

mod draw;
mod layout;
mod legend;
mod level;
mod measure;
mod path;
mod scene;

use super::Diagram;

/// The diagram as SVG. Its colours follow the reader's light or dark preference.
pub fn svg(diagram: &Diagram) -> String {
    let mut scene = scene::Scene::of(diagram);
    let wires = layout::layout(&mut scene);
    draw::draw(diagram, &scene, &wires)
}

/// The layout of an image.
#[cfg(feature = "page")]
#[derive(Debug, serde::Serialize)]
pub(crate) struct Placed {
    w: f64,
    h: f64,
    /// Boxes, by the name of what they show: modules, resources, and components, which are inside their servers.
    modules: wattle_model::IndexMap<String, Rect>,
    resources: wattle_model::IndexMap<String, Rect>,
    components: wattle_model::IndexMap<String, Rect>,
    /// Paths of wires, each with the index of its edge in the diagram.
    wires: Vec<(usize, String)>,
}

/// Left, top, width and height.
#[cfg(feature = "page")]
type Rect = (f64, f64, f64, f64);

/// The layout that [`svg`] uses, relative to the corner of the drawing.
#[cfg(feature = "page")]
pub(crate) fn placed(diagram: &Diagram) -> Placed {
    use scene::Body;

    let mut scene = scene::Scene::of(diagram);
    let wires = layout::layout(&mut scene);
    let (left, top, right, bottom) = layout::AROUND;
    let all = &scene.boxes[0];
    let mut placed = Placed {
        w: all.w - left - right,
        h: all.h - top - bottom,
        modules: Default::default(),
        resources: Default::default(),
        components: Default::default(),
        wires: Vec::with_capacity(wires.len()),
    };
    for of in scene.boxes.iter().skip(1) {
        let rect = (of.x - left, of.y - top, of.w, of.h);
        match &of.body {
            Body::Frame { .. } => placed.modules.insert(of.name.to_owned(), rect),
            Body::Server { .. } | Body::Other { .. } => placed.resources.insert(of.name.to_owned(), rect),
        };
        if let Body::Server { parts, .. } = &of.body {
            let part = |part: &scene::Part<'_>| (part.component.key.to_string(), (part.x, part.y, part.w, part.h));
            placed.components.extend(parts.iter().map(part));
        }
    }
    let wire = |way: &layout::Way| {
        let way = way.moved(-left, -top);
        (scene.wires[way.wire].number, path::path(way.start, &way.steps))
    };
    placed.wires.extend(wires.iter().map(wire));
    placed
}
